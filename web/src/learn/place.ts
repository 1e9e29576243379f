// Where in Learn somebody is, as the address says it: "", "lesson.masks.2", "exercise.softmax", "question.formula", "reading".
export type Place =
  | { page: "path" }
  | { page: "lesson"; id: string; step: number } // from 1
  | { page: "exercise"; id: string }
  | { page: "question"; id: string }
  | { page: "reading" };

export function placeOf(text: string): Place {
  const [page, id = "", step = "1"] = text.split(".");
  if (page === "lesson" && id) return { page, id, step: /^[1-9]\d{0,2}$/.test(step) ? Number(step) : 1 };
  if ((page === "exercise" || page === "question") && id) return { page, id };
  return { page: page === "reading" ? page : "path" };
}

export function placeText(place: Place): string {
  if (place.page === "path") return "";
  if (place.page === "reading") return "reading";
  const text = `${place.page}.${place.id}`;
  return place.page === "lesson" && place.step > 1 ? `${text}.${place.step}` : text;
}
