import { PlainTextError } from '../../meta/plain-text-error.ts'

/** `retryAfter`: seconds. */
export const tooManyRequests = (retryAfter = 1): PlainTextError => new PlainTextError(429, 'Too many requests, please try again later.', retryAfter)
