import type { Config } from '../config/config.ts'
import type { ZPageSource } from '../endpoints/zpages/zpage-content.ts'
import { gitVersion } from '../server/version.ts'

/** Returns the data of the debugging pages. The values of flags are computed by the first request for them. */
export const zpageSource = ({ release: { gates }, observability }: Config): ZPageSource => ({
  features: gates,
  programVersion: gitVersion(gates.release).slice(1),
  runtimeVersion: `node${process.version}`,
  startedAt: performance.timeOrigin,
  cbor: gates.enabled('CBORServingAndStorage'),
  flags: async () => (await import('../config/flag-values.ts')).flagValues(observability.flags),
})
