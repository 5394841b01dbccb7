import type { Names, Version } from '../../catalog/definition.ts'
import { STANDARD_VERBS } from '../shared/strategy-parts.ts'
import { types } from '../types.ts'

const packageOf = (version: string): string => (version === 'v1beta2' ? 'resource' : `resource${version.replace('v', 'V')}`)

/** The parts of a resource.k8s.io version that follow from its kind; of v1beta2 unless `version` is another. */
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

/** The same kind as v1beta1 and v1alpha3 have it, and how those differ. */
export const olderVersions = (
  v1beta2: Version,
  differences: (name: 'v1beta1' | 'v1alpha3') => Partial<Pick<Version, 'toHub' | 'fromHub' | 'setDefaults'>> = () => ({}),
): readonly [v1beta1: Version, v1alpha3: Version] => {
  const older = (name: 'v1beta1' | 'v1alpha3'): Version => ({
    ...v1beta2,
    name,
    schema: types.type(`${packageOf(name)}.${v1beta2.kind}`),
    ...differences(name),
  })
  return [older('v1beta1'), older('v1alpha3')]
}
