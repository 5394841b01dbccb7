import { createHash } from 'node:crypto'

/** How metrics and errors of Kubernetes show what may be long or secret; what is empty stays so. */
export const sha256Label = (data: string | Buffer): string => (data.length === 0 ? '' : `sha256:${createHash('sha256').update(data).digest('hex')}`)
