import type { TypedObject } from '../../api/meta/object.ts'
import type { Names, Version } from '../../catalog/definition.ts'
import { types } from '../../catalog/types.ts'
import { STANDARD_VERBS } from '../shared/strategy-parts.ts'

const packageOf = (version: string): string => (version === 'v1beta2' ? 'resource' : `resource${version.replace('v', 'V')}`)

/** Fields of a resource.k8s.io version that follow from its kind. `version` defaults to v1beta2. */
export const resourceVersion = (
  kind: string,
  names: Names,
  version: 'v1beta2' | 'v1alpha3' = 'v1beta2',
): Pick<Version, 'group' | 'name' | 'kind' | 'names' | 'verbs' | 'schema'> => ({
  group: 'resource.k8s.io',
  name: version,
  kind,
  names,
  verbs: STANDARD_VERBS,
  schema: types.type(`${packageOf(version)}.${kind}`),
})

/** Fields in which another version differs from v1beta2. */
export type Differences<V extends TypedObject, H extends TypedObject> = Pick<
  Version<V, H>,
  'toHub' | 'fromHub' | 'setDefaults' | 'selectableFields' | 'selectableSince'
>

/** Derives another version of a kind from v1beta2. It is printed like the hub version. */
export const otherVersion = <V extends TypedObject, H extends TypedObject>(
  { group, kind, names, verbs, subresources }: Version<H>,
  name: 'v1' | 'v1beta1' | 'v1alpha3',
  differences: Differences<V, H> = {},
): Version<V, H> => ({
  group,
  name,
  kind,
  names,
  verbs,
  schema: types.type(`${packageOf(name)}.${kind}`),
  ...(subresources && { subresources }),
  ...differences,
})
