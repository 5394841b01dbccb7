import type { CustomResourceDefinition } from '../../../api/apiextensions/v1.types.ts'
import { decodedObject, type JsonObject as Schema } from '../../../api/meta/object.ts'
import { ATTACHES, EXECS, FORWARDS, LOGS, METRIC_SPEC, POD_SELECTOR, type RuleMember, USAGES } from './rule-schemas.ts'
import { object, STATUS } from './schemas.ts'
import { STAGE_SPEC } from './stage-schema.ts'

/** Group and version of kwok's kinds. */
export const KWOK_GROUP = 'kwok.x-k8s.io'
export const KWOK_VERSION = 'v1alpha1'

/** A kind of kwok. */
interface KwokKind {
  readonly kind: string
  readonly plural: string
  readonly scope: 'Cluster' | 'Namespaced'
  /** Schema of the spec. */
  readonly spec: Schema
  readonly description: string
}

const specOf = ({ name, schema, isRequired }: RuleMember, selected: boolean): Schema =>
  object({ ...(selected && { selector: POD_SELECTOR }), [name]: schema }, undefined, isRequired ? [name] : [])

/** Both kinds of a rule: for the pod of its name, and for the pods of the cluster that a selector matches. */
const rules = (kind: string, plural: string, member: RuleMember, about: string): KwokKind[] => [
  { kind, plural, scope: 'Namespaced', spec: specOf(member, false), description: `${about} of the pod with the same name.` },
  {
    kind: `Cluster${kind}`,
    plural: `cluster${plural}`,
    scope: 'Cluster',
    spec: specOf(member, true),
    description: `${about} of pods in the cluster.`,
  },
]

/** Kinds that the cluster reads. */
const KINDS: readonly KwokKind[] = [
  {
    kind: 'Stage',
    plural: 'stages',
    scope: 'Cluster',
    spec: STAGE_SPEC,
    description:
      'A step in the life of an object of a simulated cluster: when it applies, and what it changes. Stages of a resource replace its built-in ones.',
  },
  ...rules('Logs', 'logs', LOGS, 'Logs of simulated containers'),
  ...rules('Exec', 'execs', EXECS, 'How commands run in simulated containers'),
  ...rules('Attach', 'attaches', ATTACHES, 'Streams of clients that attach to simulated containers'),
  ...rules('PortForward', 'portforwards', FORWARDS, 'Where forwarded ports lead'),
  ...rules('ResourceUsage', 'resourceusages', USAGES, 'CPU and memory that simulated containers use'),
  {
    kind: 'Metric',
    plural: 'metrics',
    scope: 'Cluster',
    spec: METRIC_SPEC,
    description: 'Metrics that simulated kubelets report at a path.',
  },
]

/** Returns the CustomResourceDefinitions of kwok's kinds. The descriptions are this program's own. */
export const kwokDefinitions = (): CustomResourceDefinition[] => KINDS.map(definitionOf)

/** Returns the definition of a kind, with a status that reports whether an object takes effect. */
function definitionOf({ kind, plural, scope, spec, description }: KwokKind): CustomResourceDefinition {
  const definition: Schema = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${KWOK_GROUP}` },
    spec: {
      group: KWOK_GROUP,
      scope,
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      versions: [
        {
          name: KWOK_VERSION,
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: object({ spec, status: STATUS }, description, ['spec']) },
        },
      ],
    },
  }
  return decodedObject(definition) as unknown as CustomResourceDefinition
}
