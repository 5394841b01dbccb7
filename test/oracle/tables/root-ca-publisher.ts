import type { ConfigMap } from '../../../src/api/core/v1.types.ts'
import { mayBeFilled, mustRestoreRootCa } from '../../../src/controllers/namespace-content.ts'

interface ConfigMapIn {
  /** Undefined if there is no ConfigMap. */
  readonly data?: 'current' | 'other' | null
  /** Whether the description is there, or another text. */
  readonly annotation?: boolean | string | null
}

/** @param given null for a namespace that is being deleted. */
function configMap(given: ConfigMapIn | null): string {
  if (
    !mayBeFilled({
      kind: 'Namespace',
      apiVersion: 'v1',
      metadata: { name: 'n', ...(given === null && { deletionTimestamp: '2030-01-01T00:00:00Z' }) },
    })
  )
    return 'nothing'
  const { data, annotation } = given ?? {}
  if (!data) return 'create'
  const annotations: Record<string, string> = annotation ? { 'kubernetes.io/description': String(annotation) } : {}
  const present: ConfigMap = {
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: { name: 'kube-root-ca.crt', annotations },
    data: { 'ca.crt': data },
  }
  return mustRestoreRootCa(present, 'current') ? 'update' : 'nothing'
}

/** Functions of the tables, or the reason why a table has none. */
export const TABLES: Readonly<Record<string, ((given: never) => unknown) | string>> = { configmap: configMap }
