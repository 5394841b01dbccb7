import type { JsonObject } from '../../api/meta/object.ts'
import type { StructSchema } from '../schema.ts'

interface UnionOfFields {
  /** Optional. Field that names which of the others is set. */
  readonly discriminator?: string
  readonly fields: readonly string[]
}

const OF_TYPE: UnionOfFields = { discriminator: 'type', fields: ['localhostProfile'] }

const DISRUPTION: UnionOfFields = { fields: ['all', 'single'] }
const SCHEDULING: UnionOfFields = { fields: ['basic', 'gang'] }

/** Unions by definition name without the version. Source: the markers `+union` in k8s.io/api. */
const UNIONS: Readonly<Record<string, UnionOfFields>> = {
  'io.k8s.api.core.AppArmorProfile': OF_TYPE,
  'io.k8s.api.core.PodSchedulingGroup': { fields: ['podGroupName'] },
  'io.k8s.api.core.SeccompProfile': OF_TYPE,
  'io.k8s.api.flowcontrol.LimitResponse': { discriminator: 'type', fields: ['queuing'] },
  'io.k8s.api.flowcontrol.PriorityLevelConfigurationSpec': { discriminator: 'type', fields: ['exempt', 'limited'] },
  'io.k8s.api.flowcontrol.Subject': { discriminator: 'kind', fields: ['group', 'serviceAccount', 'user'] },
  'io.k8s.api.lifecycle.EvictionRequestTarget': { fields: ['pod'] },
  'io.k8s.api.lifecycle.EvictionTarget': { fields: ['pod'] },
  'io.k8s.api.scheduling.CompositeDisruptionMode': DISRUPTION,
  'io.k8s.api.scheduling.CompositePodGroupSchedulingPolicy': SCHEDULING,
  'io.k8s.api.scheduling.DisruptionMode': DISRUPTION,
  'io.k8s.api.scheduling.PodGroupSchedulingPolicy': SCHEDULING,
  'io.k8s.api.scheduling.PodGroupTemplateReference': { fields: ['workload'] },
  'io.k8s.api.scheduling.WorkloadPodGroupDisruptionMode': DISRUPTION,
  'io.k8s.api.scheduling.WorkloadPodGroupSchedulingPolicy': SCHEDULING,
}

/** Returns the OpenAPI extension of a struct of which one field is set; no members for other structs. */
export function unionMark({ definition, fields }: StructSchema): JsonObject {
  const union = definition === undefined ? undefined : UNIONS[definition.replace(/\.[^.]+(?=\.[^.]+$)/, '')]
  if (union === undefined) return {}
  const present = union.fields.filter(name => fields.has(name))
  const named = Object.fromEntries(present.map(name => [name, name.replace(/^./, first => first.toUpperCase())]))
  return {
    'x-kubernetes-unions': [
      { ...(union.discriminator !== undefined && { discriminator: union.discriminator }), 'fields-to-discriminateBy': named },
    ],
  }
}
