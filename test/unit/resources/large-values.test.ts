import { expect } from 'chai'
import type { ResourceDefinition } from '../../../src/catalog/definition.ts'
import { runIfSteps, type Steps } from '../../../src/lib/steps.ts'
import type { FieldError } from '../../../src/meta/field-error.ts'
import { csiDriverResource } from '../../../src/resources/storage/csi-driver/definition.ts'
import { csiStorageCapacityResource } from '../../../src/resources/storage/csi-storage-capacity/definition.ts'
import { storageClassResource } from '../../../src/resources/storage/storage-class/definition.ts'
import { volumeAttachmentResource } from '../../../src/resources/storage/volume-attachment/definition.ts'
import { countedSteps } from '../../support/counted-steps.ts'
import { hookContext } from '../../support/hook-context.ts'
import { KindServer } from '../../support/kind-server.ts'

/** Number of items or members. A map of as many is wide. */
const MANY = 5632
/** Loops end a step after 512 items. */
const STEPS = MANY / 512

const list = <T>(item: (i: number) => T): T[] => Array.from({ length: MANY }, (_, i) => item(i))
const map = <T>(value: (i: number) => T): Record<string, T> => Object.fromEntries(list(i => [`k${i}`, value(i)]))

/** Hooks of a kind, and how often each yields at least for a value in a loop. */
type Hooks = Partial<Record<'validate' | 'warnings', number>>

const kinds: Record<string, [ResourceDefinition, Record<string, [body: object, hooks: Hooks, errors?: readonly string[]]>]> = {
  StorageClass: [
    storageClassResource,
    {
      'topology terms': [
        { provisioner: 'p', allowedTopologies: list(i => ({ matchLabelExpressions: [{ key: 'a', values: [`${i % (MANY - 1)}`] }] })) },
        { validate: 2 * STEPS, warnings: 2 * STEPS },
        [`allowedTopologies[${MANY - 1}].matchLabelExpressions`],
      ],
      requirements: [
        { provisioner: 'p', allowedTopologies: [{ matchLabelExpressions: list(i => ({ key: `k${i % (MANY - 1)}`, values: ['a'] })) }] },
        { validate: 2 * STEPS, warnings: STEPS },
        [`allowedTopologies[0].matchLabelExpressions[${MANY - 1}].key`],
      ],
      values: [
        { provisioner: 'p', allowedTopologies: [{ matchLabelExpressions: [{ key: 'k', values: list(i => `${i % (MANY - 1)}`) }] }] },
        { validate: STEPS },
        [`allowedTopologies[0].matchLabelExpressions[0].values[${MANY - 1}]`],
      ],
    },
  ],
  CSIStorageCapacity: [
    csiStorageCapacityResource,
    {
      labels: [
        { storageClassName: 'c', nodeTopology: { matchLabels: map(() => 'v') } },
        { validate: STEPS, warnings: STEPS },
      ],
      expressions: [
        { storageClassName: 'c', nodeTopology: { matchExpressions: list(i => ({ key: `k${i}`, operator: 'Exists' })) } },
        { validate: STEPS, warnings: STEPS },
      ],
    },
  ],
  CSIDriver: [
    csiDriverResource,
    {
      'token requests': [
        { spec: { tokenRequests: list(i => ({ audience: `a${i % (MANY - 1)}` })) } },
        { validate: STEPS },
        [`spec.tokenRequests[${MANY - 1}].audience`],
      ],
    },
  ],
  VolumeAttachment: [
    volumeAttachmentResource,
    {
      metadata: [
        {
          spec: { attacher: 'e.io', nodeName: 'n', source: { persistentVolumeName: 'v' } },
          status: { attached: true, attachmentMetadata: map(() => 'x'.repeat(50)) },
        },
        { validate: STEPS },
        ['status.attachmentMetadata'],
      ],
    },
  ],
}

function* fieldsOf(errors: FieldError[] | Steps<FieldError[]>): Steps<string[]> {
  return (yield* runIfSteps(errors)).map(({ field }) => field)
}

describe('hooks of a kind take steps for very many values', () => {
  for (const [kind, [definition, bodies]] of Object.entries(kinds))
    for (const [what, [body, least, errors = []]] of Object.entries(bodies))
      it(`${kind}: ${what}`, () => {
        const { hub, strategy } = definition
        const object = new KindServer([definition]).decode(
          { group: hub.group, resource: hub.names.plural },
          { metadata: { name: 'x' }, ...body },
        )
        const validated = countedSteps(fieldsOf(strategy?.validate?.(object, undefined, hookContext()) ?? []))
        expect(validated.result).to.deep.equal(errors)
        expect(validated.yields, 'steps of the validation').to.be.at.least(Math.floor(least.validate ?? 0))
        const warned = countedSteps(runIfSteps(strategy?.warnings?.(object, undefined, hookContext()) ?? []))
        expect(warned.yields, 'steps of the warnings').to.be.at.least(Math.floor(least.warnings ?? 0))
      })
})
