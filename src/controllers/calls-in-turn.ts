import type { ResourceAccess } from '../catalog/resource-access.ts'
import { serialCalls } from '../lib/serial-calls.ts'

/** Wraps an access so that calls run one after the other, in order. Watches are not serialized. */
export function callsInTurn(access: ResourceAccess): ResourceAccess {
  const inTurn = serialCalls()
  return {
    resourceOf: (version, kind) => access.resourceOf(version, kind),
    get: (...args) => inTurn(() => access.get(...args)),
    list: (...args) => inTurn(() => access.list(...args)),
    create: (...args) => inTurn(() => access.create(...args)),
    update: (...args) => inTurn(() => access.update(...args)),
    delete: (...args) => inTurn(() => access.delete(...args)),
    watch: (...args) => access.watch(...args),
  }
}
