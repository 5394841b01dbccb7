/** Frames that serve no stream of this side: at once, and more with each second. As those of HTTP/2. */
export const IDLE_FRAMES = { burst: 1000, perSecond: 33 }
