import { PlainTextError } from '../../meta/plain-text-error.ts'

/** Returns kube-apiserver's 429 in plain text. `retryAfter`: seconds. */
export const tooManyRequests = (retryAfter = 1): PlainTextError =>
  new PlainTextError(429, 'Too many requests, please try again later.', retryAfter)
