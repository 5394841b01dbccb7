import { createHash } from 'node:crypto'

/** Hashes a long or secret text for metrics and errors, as Kubernetes does. An empty text stays empty. */
export const sha256Label = (data: string | Buffer): string =>
  data.length === 0 ? '' : `sha256:${createHash('sha256').update(data).digest('hex')}`
