import type { KubeObject } from '../../../meta/object.ts'

export function setEndpointSliceDefaults({ ports }: KubeObject): void {
  for (const port of ports ?? []) {
    port.name ??= ''
    port.protocol ??= 'TCP'
  }
}
