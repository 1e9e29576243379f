// Does the page stand inside of another one, a notebook say?
export const embedded = typeof window !== "undefined" && window.parent !== window;
