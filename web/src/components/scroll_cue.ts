// What is cut off by a box that scrolls fades out at that edge: many systems hide the bars of such boxes.
import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";

// Sets the classes more-right and more-below; is there more than fits?
export function useScrollCue(box: RefObject<HTMLElement | null>): boolean {
  const [more, setMore] = useState(false);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const look = () => {
      const right = element.scrollWidth - element.clientWidth;
      const below = element.scrollHeight - element.clientHeight;
      element.classList.toggle("more-right", right - element.scrollLeft > 1);
      element.classList.toggle("more-below", below - element.scrollTop > 1);
      setMore(right > 1 || below > 1);
    };
    const observer = new ResizeObserver(look);
    observer.observe(element);
    for (const child of element.children) observer.observe(child);
    element.addEventListener("scroll", look, { passive: true });
    look();
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, []);
  return more;
}
