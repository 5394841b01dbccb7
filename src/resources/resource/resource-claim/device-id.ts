import type { KubeObject } from '../../../meta/object.ts'

/** What tells a device from all others: `driver/pool/device`. */
export const deviceId = ({ driver = '', pool = '', device = '' }: KubeObject['spec']): string => `${driver}/${pool}/${device}`
