// On how many texts a role rests: on this one, or also on those of a study of the same model.
import { useLoaded } from "./loading";
import { t } from "../core/language";
import { wholeText } from "../core/numbers";
import { source } from "../core/state";
import { indexOf, shareOfRole, shareText, studyOfRun } from "../core/studies";

// "on 1,000 texts: 87 %" of a head's role; "" without a study of the run's model.
export function useRoleGrounds(): (layer: number, head: number, role: string | undefined) => string {
  const info = studyOfRun.value;
  const overview = useLoaded(info ? `study ${info.id}` : "", () => source.value!.study(info!.id)).value;
  return (layer, head, role) => {
    const share = info && role ? shareOfRole(overview, indexOf(info, { layer, head }), role) : null;
    return share === null ? "" : t("restsOnStudy", { texts: wholeText(info!.texts), share: shareText(share) });
  };
}

export function RoleGroundsNote() {
  const info = studyOfRun.value;
  return (
    <p class="advice role-grounds">
      {info ? t("restsOnStudyAbout", { texts: wholeText(info.texts) }) : t("restsOnThisAbout")}
    </p>
  );
}
