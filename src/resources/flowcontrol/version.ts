import type { Names, Version } from '../../catalog/definition.ts'
import { types } from '../../catalog/types.ts'
import { STANDARD_VERBS } from '../shared/strategy-parts.ts'

/** Beta versions that releases before 1.32 serve, latest first, with the packages of their types. */
const BETAS = [
  ['v1beta3', 'flowcontrolV1beta3'],
  ['v1beta2', 'flowcontrolV1beta2'],
  ['v1beta1', 'flowcontrolV1beta1'],
] as const

type Parts = Pick<Version, 'group' | 'name' | 'kind' | 'names' | 'verbs' | 'schema'>

/** Returns the fields of a version of flowcontrol.apiserver.k8s.io that follow from its kind. */
const parts = (kind: string, names: Names, name: string, pkg: string): Parts => ({
  group: 'flowcontrol.apiserver.k8s.io',
  name,
  kind,
  names,
  verbs: STANDARD_VERBS,
  schema: types.type(`${pkg}.${kind}`),
})

/** Returns those of v1. */
export const flowControlVersion = (kind: string, names: Names): Parts => parts(kind, names, 'v1', 'flowcontrol')

/** Returns those of v1beta3, v1beta2 and v1beta1. */
export const flowControlBetas = (kind: string, names: Names): [v1beta3: Parts, v1beta2: Parts, v1beta1: Parts] => {
  const [v1beta3, v1beta2, v1beta1] = BETAS
  return [parts(kind, names, ...v1beta3), parts(kind, names, ...v1beta2), parts(kind, names, ...v1beta1)]
}
