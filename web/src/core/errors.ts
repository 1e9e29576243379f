// Failures in the person's words. The server's own messages are shown as they are.
import { t } from "./language";
import { SourceError } from "../data/source";

export function errorText(error: unknown): string {
  if (error instanceof SourceError && error.missing) return t("weightsNotInFile");
  if (error instanceof SourceError && error.status === 0) return t("noServer");
  return error instanceof Error ? error.message : String(error);
}
