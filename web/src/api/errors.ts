/** The answer of the API to a request that it refused. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
    this.name = "ApiError";
  }

  /** True if the server is unreachable or overloaded, so that a later attempt can succeed. */
  get isTemporary(): boolean {
    return this.status === 0 || this.status === 429 || this.status === 502 || this.status === 503;
  }
}

/** Returns the error of an answer with the error shape of the API. */
export function errorOf(status: number, body: unknown): ApiError {
  const error = (body as { error?: { code?: unknown; message?: unknown } } | undefined)?.error;
  const message = typeof error?.message === "string" ? error.message : `The server answered ${status}`;
  const code = typeof error?.code === "number" || typeof error?.code === "string" ? String(error.code) : "";
  return new ApiError(status, code, message);
}
