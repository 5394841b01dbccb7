/** Limit for frames that serve no stream: burst and rate. The same as for HTTP/2. */
export const IDLE_FRAMES = { burst: 1000, perSecond: 33 }
