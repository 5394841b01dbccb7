import type { Names, Version } from '../../catalog/definition.ts'
import { STANDARD_VERBS } from '../shared/strategy-parts.ts'
import { types } from '../types.ts'

/** The parts of a flowcontrol.apiserver.k8s.io/v1 version that follow from its kind. */
export const flowControlVersion = (kind: string, names: Names): Pick<Version, 'group' | 'name' | 'kind' | 'names' | 'verbs' | 'schema'> => ({
  group: 'flowcontrol.apiserver.k8s.io',
  name: 'v1',
  kind,
  names,
  verbs: STANDARD_VERBS,
  schema: types.type(`flowcontrol.${kind}`),
})
