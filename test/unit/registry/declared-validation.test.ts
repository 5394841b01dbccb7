import { expect } from 'chai'
import { covered, type FieldError, invalid } from '../../../src/meta/field-error.ts'
import { fieldPath } from '../../../src/meta/field-path.ts'
import { StatusError } from '../../../src/meta/status.ts'
import { replicationControllerResource } from '../../../src/resources/core/replication-controller/definition.ts'
import { TypeRegistry } from '../../../src/schema/idl.ts'
import type { DeclaredRule } from '../../../src/schema/schema.ts'
import type { AnyObject } from '../../support/any-object.ts'
import { featuresOf } from '../../support/hook-context.ts'
import { TestRegistry, WIDGETS, widgetResource } from '../../support/test-registry.ts'

const TAKEOVER = 'DeclarativeValidationTakeover=true'
const OFF = 'DeclarativeValidation=false'

/** The schema of a widget whose size has a declared minimum, or another rule. */
function widgetSchema(rule: number | DeclaredRule) {
  const source = `type Widget typemeta\n  metadata 1 meta.ObjectMeta?\n  spec 2 WidgetSpec?\n\ntype WidgetSpec\n  size 1 int32? minimum(${typeof rule === 'number' ? rule : 0})@1.33\n`
  const meta = { id: 'meta', definition: 'io.test.meta', source: 'type ObjectMeta\n  name 1 string?\n' }
  const schema = new TypeRegistry(33).add(meta).add({ id: 't', definition: 'io.test', source }).type('t.Widget')
  const spec = schema.fields.get('spec')?.schema
  const size = spec?.type === 'struct' ? spec.fields.get('size') : undefined
  if (typeof rule !== 'number' && size) Object.assign(size, { rules: [rule] })
  return schema
}

/**
 * Creates a widget. Hand-written validation requires a size of at least 0. Returns the causes of the error, and the
 * reports of the observer.
 */
async function creating(size: number, rule: number | DeclaredRule, ...gates: string[]) {
  const path = fieldPath('spec', 'size')
  const validate = ({ spec }: AnyObject): FieldError[] =>
    covered('minimum', spec.size < 0 ? [invalid(path, spec.size, 'hand-written')] : [])
  const t = new TestRegistry(
    [widgetResource({ strategy: { validate }, version: { schema: widgetSchema(rule) } })],
    undefined,
    featuresOf(...gates),
  )
  const causes: string[] = await t
    .access()
    .create(WIDGETS, 'ns', { kind: 'Widget', apiVersion: 'example.io/v1', metadata: { name: 'w' }, spec: { size } } as AnyObject)
    .then(() => [], causesOf)
  return { causes, faults: t.declaredFaults }
}

const HAND_WRITTEN = 'spec.size: Invalid value: -1: hand-written'
const DECLARED = 'spec.size: Invalid value: -1: must be greater than or equal to 0'
const throwing: DeclaredRule = {
  origin: 'minimum',
  check() {
    throw new Error('no')
  },
}

describe('declared rules of a type', () => {
  it('agree with hand-written validation, whose errors are returned', async () => {
    expect(await creating(-1, 0)).to.deep.equal({ causes: [HAND_WRITTEN], faults: [] })
    expect(await creating(0, 0)).to.deep.equal({ causes: [], faults: [] })
  })

  it('replace the errors that they cover with DeclarativeValidationTakeover', async () => {
    expect(await creating(-1, 0, TAKEOVER)).to.deep.equal({ causes: [DECLARED], faults: [] })
  })

  it('do not run without DeclarativeValidation, whatever the takeover gate is', async () => {
    expect(await creating(-1, throwing, OFF, TAKEOVER)).to.deep.equal({ causes: [HAND_WRITTEN], faults: [] })
  })

  it('are reported if they find more errors, and reject nothing', async () => {
    const { causes, faults } = await creating(3, 5)
    expect(causes).to.deep.equal([])
    expect(faults).to.deep.equal([
      'Unexpected difference between hand written validation and declarative validation error results, extra error(s) found {Type="Invalid value", Field="spec.size", Origin="minimum"}. ' +
        'This indicates an issue with declarative validation. This difference should not affect system operation since hand written validation is authoritative.',
    ])
  })

  it('reject a request with DeclarativeValidationTakeover', async () => {
    const { causes, faults } = await creating(3, 5, TAKEOVER)
    expect(causes).to.deep.equal(['spec.size: Invalid value: 3: must be greater than or equal to 5'])
    expect(faults[0]).to.include('Consider disabling the DeclarativeValidationTakeover feature gate')
  })

  it('are reported if they find fewer errors', async () => {
    const { causes, faults } = await creating(-1, -2)
    expect(causes).to.deep.equal([HAND_WRITTEN])
    expect(faults).to.have.length(1)
    expect(faults[0]).to.include('unmatched error(s) found {Type="Invalid value", Field="spec.size", Origin="minimum"}')
    expect((await creating(-1, -2, TAKEOVER)).causes).to.deep.equal([])
  })

  it('fail no request if one throws', async () => {
    expect(await creating(0, throwing)).to.deep.equal({ causes: [], faults: ['panic during declarative validation: no'] })
  })

  it('fail the request if one throws with DeclarativeValidationTakeover', async () => {
    expect((await creating(0, throwing, TAKEOVER)).causes).to.deep.equal(['<nil>: Internal error: panic during declarative validation: no'])
  })

  for (const gate of [[], [TAKEOVER]])
    it(`agree with hand-written validation for replication controllers (${gate})`, async () => {
      const t = new TestRegistry([replicationControllerResource], undefined, featuresOf(...gate))
      const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }
      const controller = {
        kind: 'ReplicationController',
        apiVersion: 'v1',
        metadata: { name: 'r' },
        spec: { replicas: -1, minReadySeconds: -2, template },
      }
      const error = await t
        .access()
        .create({ group: '', resource: 'replicationcontrollers' }, 'ns', controller as AnyObject)
        .catch(reason => reason)
      expect(
        error.status.details.causes.map(({ field, message }: { field: string; message: string }) => `${field}: ${message}`),
      ).to.have.members([
        'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
        'spec.minReadySeconds: Invalid value: -2: must be greater than or equal to 0',
      ])
      expect(t.declaredFaults).to.deep.equal([])
    })
})

function causesOf(error: unknown): string[] {
  if (!(error instanceof StatusError)) throw error
  return (error.status.details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`)
}
