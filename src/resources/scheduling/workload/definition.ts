import type { PodGroup as AlphaGroup, Workload as AlphaWorkload } from '../../../api/scheduling/v1alpha1.types.ts'
import type { PodGroupTemplate, Workload } from '../../../api/scheduling/v1alpha2.types.ts'
import type { Workload as BetaWorkload } from '../../../api/scheduling/v1beta1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { Version } from '../../../catalog/definition.ts'
import { types } from '../../../catalog/types.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { NAME_AND_AGE } from '../../shared/columns.ts'
import { STANDARD_VERBS } from '../../shared/strategy-parts.ts'
import { workloadFromBeta, workloadToBeta } from '../conversion.ts'
import { validateFirstWorkload, validateWorkload } from './validation.ts'

const v1alpha2: Version<Workload> = {
  group: 'scheduling.k8s.io',
  name: 'v1alpha2',
  kind: 'Workload',
  names: { plural: 'workloads', singular: 'workload' },
  verbs: STANDARD_VERBS,
  schema: types.type('schedulingV1alpha2.Workload'),
  table: NAME_AND_AGE,
}

const templateOf = ({ name, policy }: AlphaGroup): PodGroupTemplate => ({ name, schedulingPolicy: policy, schedulingConstraints: null })

/**
 * v1alpha1 has groups with only a name and a policy instead of templates. Other fields of v1alpha2's templates are lost
 * when 1.35 writes the object.
 */
const v1alpha1: Version<AlphaWorkload, Workload> = {
  group: v1alpha2.group,
  name: 'v1alpha1',
  kind: v1alpha2.kind,
  names: v1alpha2.names,
  verbs: v1alpha2.verbs,
  schema: types.type('schedulingV1alpha1.Workload'),
  toHub: ({ spec: { podGroups, ...spec }, ...object }) => ({
    ...object,
    spec: { ...spec, podGroupTemplates: podGroups?.map(templateOf) ?? null },
  }),
  fromHub: ({ spec: { podGroupTemplates, ...spec }, ...object }) => ({
    ...object,
    spec: { ...spec, podGroups: podGroupTemplates?.map(({ name, schedulingPolicy: policy }) => ({ name, policy })) ?? null },
  }),
}

/** Version in which 1.37 stores workloads. */
const v1beta1: Version<BetaWorkload, Workload> = {
  group: v1alpha2.group,
  name: 'v1beta1',
  kind: v1alpha2.kind,
  names: v1alpha2.names,
  verbs: v1alpha2.verbs,
  schema: types.type('schedulingV1beta1.Workload'),
  toHub: workloadFromBeta,
  fromHub: workloadToBeta,
}

/**
 * Templates for groups of pods that are scheduled together. They are immutable. Needs both the API version and a gate
 * to be enabled; 1.35 has v1alpha1, 1.36 has v1alpha2. https://kubernetes.io/docs/concepts/workloads/workload-api/
 * Source of its rules: pkg/registry/scheduling/workload.
 */
export const workloadResource = defineResource<Workload>({
  scope: 'Namespaced',
  versions: [v1alpha2, v1alpha1, v1beta1],
  hub: v1alpha2,
  storage: { prefix: 'workloads', version: v1alpha2 },
  strategy: {
    validate: (next, old, { features }) =>
      isSince(features.release, '1.36') ? validateWorkload(next, old, features) : validateFirstWorkload(next, old),
  },
})
