import { delay } from '../../storage/delay.ts'
import type { ControlPlane } from '../control-plane.ts'

/** Interval between checks, in milliseconds. */
const LOOK_MS = 2
/** Checks that must pass before requests are served: kinds and permissions are known. */
const NEEDED: ReadonlySet<string> = new Set(['poststarthook/crd-informer-synced', 'poststarthook/rbac/bootstrap-roles', 'node-authorizer'])

/** Resolves when the control plane can serve requests. Rejects when the signal aborts. */
export async function untilReady({ checks }: ControlPlane, isNeeded: (name: string) => boolean, signal: AbortSignal): Promise<void> {
  const left = checks.filter(({ name }) => NEEDED.has(name) && isNeeded(name))
  while (left.length > 0) {
    try {
      await left.at(-1)?.check()
      left.pop()
    } catch {
      await delay(LOOK_MS, signal)
    }
  }
}
