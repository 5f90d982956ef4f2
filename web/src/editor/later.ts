/** A part of the editor that a page does not need before it is shown. */
export class Later<T> {
  /** The part, if it is loaded. */
  now: T | undefined;
  private promise: Promise<T> | undefined;

  constructor(private readonly read: () => Promise<T>) {}

  get isLoading(): boolean {
    return this.promise !== undefined && this.now === undefined;
  }

  /** Loads the part. After a failure, the next call tries again. */
  load(): Promise<T> {
    this.promise ??= this.read().then(
      (part) => (this.now = part),
      (reason: unknown) => {
        this.promise = undefined;
        throw reason;
      },
    );
    return this.promise;
  }
}

export const laterMenus = new Later(() => import("./menus"));
export const laterPlugins = new Later(() => import("./later-plugins"));
export const laterTables = new Later(() => import("./table-editing"));
export const laterPictures = new Later(() => import("./pictures"));
export const laterCarets = new Later(() => import("./carets"));
export const laterApi = new Later(() => import("./api-box"));
export const laterMarkdown = new Later(() => import("./from-markdown"));
export const laterSocket = new Later(() => import("./socket").then(({ opened }) => opened()));

/** Returns whether a type of blocks shows parts of a specification, whose code is loaded for them. */
export function isApiType(type: string): boolean {
  return type === "swagger" || type.startsWith("openapi-");
}

/** Does something when the browser has nothing else to do. Returns a function that revokes it. */
export function whenIdle(work: () => void): () => void {
  if (!("requestIdleCallback" in window)) {
    const timer = setTimeout(work, 200);
    return () => clearTimeout(timer);
  }
  const request = requestIdleCallback(work, { timeout: 2_000 });
  return () => cancelIdleCallback(request);
}
