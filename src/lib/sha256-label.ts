import { createHash } from 'node:crypto'

/** How metrics and errors of Kubernetes tell of what may be long or secret; nothing is told of what is empty. */
export const sha256Label = (data: string | Buffer): string => (data.length === 0 ? '' : `sha256:${createHash('sha256').update(data).digest('hex')}`)
