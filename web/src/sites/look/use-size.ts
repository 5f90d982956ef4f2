import { type RefCallback, useCallback, useState } from "react";

export interface Size {
  width: number;
  height: number;
}

/** Returns the size of an element, which is measured again when it changes, and the reference for the element. */
export function useSize(): [Size | undefined, RefCallback<HTMLElement>] {
  const [size, setSize] = useState<Size>();
  const measure = useCallback((element: HTMLElement | null) => {
    if (!element) return;
    const observer = new ResizeObserver(() => setSize({ width: element.clientWidth, height: element.clientHeight }));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [size, measure];
}
