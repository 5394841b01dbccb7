import type { PodCheck } from '../check.ts'

const FIELDS = ['hostNetwork', 'hostPID', 'hostIPC'] as const

/** Baseline: pods do not share namespaces of the host. */
export const hostNamespaces: PodCheck = ({ spec }) => {
  const shared = FIELDS.filter(field => spec[field] === true)
  return shared.length === 0 ? undefined : { reason: 'host namespaces', detail: shared.map(field => `${field}=true`).join(', ') }
}
