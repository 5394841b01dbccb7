import { BUILT_ETCD, findEtcds } from './etcd.ts'
import { KINE_DATABASES } from './kine-databases.ts'

/**
 * Who writes and reads an etcd: one server alone, a user with the rights on a prefix, others beside the server, or it
 * has single resources beside another etcd.
 */
const ETCD_USES = ['own', 'tenant', 'shared', 'overrides'] as const
export type EtcdUse = (typeof ETCD_USES)[number]

const BUILT = `etcd-${BUILT_ETCD}`
const SYSTEM = 'etcd-system'

/** Begins the names of the setups of an etcd: `etcd-3.6.14`, or `etcd-system` for the one on PATH. */
export const programOf = (version: string): string => (version === BUILT_ETCD ? BUILT : SYSTEM)

/** Names a setup for `$STORES`: `etcd-system`, `etcd-system-tenant`. */
export const setupId = (program: string, use: EtcdUse): string => (use === 'own' ? program : `${program}-${use}`)

/** Setups that cannot run here, and why. */
export interface MissingSetups {
  readonly ids: readonly string[]
  readonly reason: string
}

/** Those of the setups of `make test-stores` that cannot run here. */
export function missingSetups(): readonly MissingSetups[] {
  const found = new Set(findEtcds().map(({ version }) => programOf(version)))
  const ofEtcd = (program: string, reason: string): MissingSetups[] =>
    found.has(program) ? [] : [{ ids: ETCD_USES.map(use => setupId(program, use)), reason }]
  const kine = new Map<string, string[]>()
  for (const { id, missing } of KINE_DATABASES) {
    const reason = missing()
    if (reason !== undefined) kine.set(reason, [...(kine.get(reason) ?? []), id])
  }
  return [
    ...ofEtcd(BUILT, `there is no etcd ${BUILT_ETCD}; hack/etcd builds it if Go is installed`),
    ...ofEtcd(SYSTEM, 'there is no etcd on PATH'),
    ...[...kine].map(([reason, ids]) => ({ ids, reason })),
  ]
}
