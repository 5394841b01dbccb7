import { expect } from 'chai'
import type { ObjectMeta, OwnerReference } from '../../../src/api/meta/object.ts'
import { endTurn } from '../../../src/lib/turn.ts'
import { allWorded, fieldErrorText } from '../../../src/meta/field-error.ts'
import { fieldPath } from '../../../src/meta/field-path.ts'
import { nameIsDnsSubdomain } from '../../../src/meta/names.ts'
import type { ObjectMetaRules } from '../../../src/meta/object-meta-validation.ts'
import {
  validateAnnotations,
  validateFieldManager,
  validateObjectMeta,
  validateObjectMetaInSteps,
  validateObjectMetaUpdate,
  validateObjectMetaUpdateInSteps,
} from '../../../src/meta/object-meta-validation.ts'
import { countedSteps } from '../../support/counted-steps.ts'

const path = fieldPath('metadata')
const owner = (more: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: 'o',
  uid: 'u',
  ...more,
})

describe('object metadata', () => {
  const COUNT = 20_000
  const members = Object.fromEntries(Array.from({ length: COUNT }, (_, i) => [`k${i}`, 'v']))
  const names = Object.keys(members)
  const wide: Record<string, ObjectMeta> = {
    labels: { labels: members },
    annotations: { annotations: members },
    finalizers: { finalizers: names.map(name => `e.io/${name}`) },
    owners: { ownerReferences: names.map(name => owner({ name })) },
    managers: { managedFields: names.map(manager => ({ manager, operation: 'Apply' })) },
  }
  for (const [what, meta] of Object.entries(wide))
    it(`is validated in steps if it is wide: ${what}`, () => {
      const next = { name: 'x', namespace: 'ns', resourceVersion: '1', ...meta }
      const created = countedSteps(validateObjectMetaInSteps(next, true, nameIsDnsSubdomain, path))
      const updated = countedSteps(validateObjectMetaUpdateInSteps(next, next, path))
      for (const { result, yields } of [created, updated]) {
        expect(result).to.deep.equal([])
        expect(yields).to.be.at.least(Math.floor(COUNT / 512))
      }
    })

  it('compares the finalizers of an object that is being deleted in steps', () => {
    const deleted = { name: 'x', namespace: 'ns', resourceVersion: '1', deletionTimestamp: '2026-01-01T00:00:00Z' }
    const finalizers = names.map(name => `e.io/${name}`)
    const both = countedSteps(validateObjectMetaUpdateInSteps({ ...deleted, finalizers }, { ...deleted, finalizers }, path))
    expect(both.result).to.deep.equal([])
    expect(both.yields).to.be.at.least(Math.floor((3 * COUNT) / 512))
    const added = countedSteps(validateObjectMetaUpdateInSteps({ ...deleted, finalizers }, deleted, path))
    const listed = finalizers
      .toSorted()
      .map(finalizer => `"${finalizer}"`)
      .join(', ')
    expect(added.result.map(fieldErrorText)).to.deep.equal([
      `metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{${listed}}`,
    ])
    expect(added.yields).to.be.at.least(Math.floor((3 * COUNT) / 512))
  })

  const told = (meta: ObjectMeta, rules?: ObjectMetaRules): string[] =>
    validateObjectMeta({ name: 'x', namespace: 'ns', ...meta }, true, nameIsDnsSubdomain, path, rules).map(fieldErrorText)

  const causes: [what: string, meta: ObjectMeta, starts: string[]][] = [
    [
      'nothing wrong',
      { labels: { a: 'b' }, annotations: { 'A.b/C': ' ' }, finalizers: ['example.com/a', 'orphan'], ownerReferences: [owner()] },
      [],
    ],
    ['no name', { name: '' }, ['metadata.name: Required value: name or generateName is required']],
    ['a bad generateName', { generateName: 'G_' }, ['metadata.generateName: Invalid value: "G_": a lowercase RFC 1123 subdomain']],
    ['no namespace', { namespace: '' }, ['metadata.namespace: Required value']],
    ['a bad namespace', { namespace: 'a.b' }, ['metadata.namespace: Invalid value: "a.b": must not contain dots']],
    ['a negative generation', { generation: -1 }, ['metadata.generation: Invalid value: -1: must be greater than or equal to 0']],
    [
      'a bad label',
      { labels: { 'a b': '-' } },
      ['metadata.labels: Invalid value: "a b": name part', 'metadata.labels: Invalid value: "-": a valid label'],
    ],
    ['a bad annotation', { annotations: { 'a b': '' } }, ['metadata.annotations: Invalid value: "a b": name part']],
    [
      'a finalizer without domain',
      { finalizers: ['word'] },
      ['metadata.finalizers[0]: Invalid value: "word": name is neither a standard finalizer name nor'],
    ],
    [
      'both deletion finalizers',
      { finalizers: ['orphan', 'foregroundDeletion'] },
      [
        'metadata.finalizers: Invalid value: []string{"orphan", "foregroundDeletion"}: finalizer orphan and foregroundDeletion cannot be both set',
      ],
    ],
    [
      'an owner without anything',
      { ownerReferences: [{ apiVersion: '', kind: '', name: '', uid: '' }] },
      [
        'metadata.ownerReferences.apiVersion: Invalid value: "": version must not be empty',
        'metadata.ownerReferences.kind: Invalid value: "": kind must not be empty',
        'metadata.ownerReferences.name: Invalid value: "": name must not be empty',
        'metadata.ownerReferences.uid: Invalid value: "": uid must not be empty',
      ],
    ],
    [
      'an event as owner',
      { ownerReferences: [owner({ kind: 'Event' })] },
      [
        'metadata.ownerReferences: Invalid value: v1.OwnerReference{APIVersion:"v1", Kind:"Event", Name:"o", UID:"u", Controller:(*bool)(nil), BlockOwnerDeletion:(*bool)(nil)}: /v1, Kind=Event is disallowed from being an owner',
      ],
    ],
    [
      'two controllers',
      { ownerReferences: [owner({ controller: true }), owner({ controller: true, name: 'p' })] },
      ['metadata.ownerReferences: Invalid value: []v1.OwnerReference{'],
    ],
    [
      'a bad manager',
      { managedFields: [{ manager: 'a\nb' }] },
      [
        'metadata.managedFields[0].operation: Invalid value: "": must be `Apply` or `Update`',
        'metadata.managedFields[0].manager: Invalid value: "a\\nb": invalid character U+000A (at position 1)',
      ],
    ],
  ]
  for (const [what, meta, starts] of causes) {
    it(what, () => {
      const texts = told(meta)
      expect(texts).to.have.lengthOf(starts.length)
      for (const [i, text] of texts.entries()) expect(text.slice(0, starts[i]?.length)).to.equal(starts[i])
    })
  }

  it('names the owner, and what it lacks, since 1.37', () => {
    const owners = [
      owner(),
      owner({ apiVersion: '', kind: '', name: '', uid: '' }),
      owner({ apiVersion: 'a/b/c' }),
      owner({ kind: 'Event' }),
    ]
    const errors = validateObjectMeta({ name: 'x', namespace: 'ns', ownerReferences: owners }, true, nameIsDnsSubdomain, path)
    expect(allWorded(errors, '1.37').map(fieldErrorText)).to.deep.equal([
      ...['apiVersion', 'kind', 'name', 'uid'].map(member => `metadata.ownerReferences[1].${member}: Required value: must not be empty`),
      'metadata.ownerReferences[2].apiVersion: Invalid value: "a/b/c": must be <group>/<version> or <version>',
      'metadata.ownerReferences[3]: Invalid value: {"apiVersion":"v1","kind":"Event","name":"o","uid":"u"}: /v1, Kind=Event is disallowed from being an owner',
    ])
  })

  it('names the operations of managers since 1.37', () => {
    const errors = validateObjectMeta(
      { name: 'x', namespace: 'ns', managedFields: [{}, { operation: 'Odd' as 'Apply' }] },
      true,
      nameIsDnsSubdomain,
      path,
    )
    expect(allWorded(errors, '1.37').map(fieldErrorText)).to.deep.equal([
      'metadata.managedFields[0].operation: Required value: must not be empty',
      'metadata.managedFields[1].operation: Unsupported value: "Odd": supported values: "Apply", "Update"',
    ])
  })

  it('accepts finalizers without a domain in custom resources', () =>
    expect(told({ finalizers: ['word'] }, { qualifiedFinalizers: false })).to.deep.equal([]))

  it('rejects a namespace in cluster-scoped objects', () => {
    expect(validateObjectMeta({ name: 'x', namespace: 'a' }, false, nameIsDnsSubdomain, path).map(fieldErrorText)).to.deep.equal([
      'metadata.namespace: Forbidden: not allowed on this type',
    ])
  })

  it('limits the total size of annotations in bytes', () => {
    expect(validateAnnotations({ a: 'x'.repeat(256 * 1024 - 1) }, path)).to.deep.equal([])
    expect(validateAnnotations({ a: 'é'.repeat(128 * 1024) }, path).map(fieldErrorText)).to.deep.equal([
      'metadata: Too long: may not be more than 262144 bytes',
    ])
  })

  it('requires a short and printable field manager', () => {
    expect(validateFieldManager('kubectl/v1.33 é', path)).to.deep.equal([])
    expect(validateFieldManager('x'.repeat(129), path).map(fieldErrorText)).to.deep.equal([
      'metadata: Too long: may not be more than 128 bytes',
    ])
    const parameter = fieldPath('fieldManager')
    expect(validateFieldManager('', parameter)).to.deep.equal([])
    expect(validateFieldManager('é'.repeat(64), parameter)).to.deep.equal([])
    expect(validateFieldManager('é'.repeat(65), parameter)).to.deep.equal([
      { reason: 'FieldValueTooLong', field: 'fieldManager', body: 'Too long: may not be more than 128 bytes' },
    ])
    expect(validateFieldManager('é\tb\n', parameter)).to.deep.equal([
      { reason: 'FieldValueInvalid', field: 'fieldManager', body: 'Invalid value: "é\\tb\\n": invalid character U+0009 (at position 2)' },
      { reason: 'FieldValueInvalid', field: 'fieldManager', body: 'Invalid value: "é\\tb\\n": invalid character U+000A (at position 4)' },
    ])
  })

  describe('updates', () => {
    const base: ObjectMeta = {
      name: 'x',
      namespace: 'ns',
      uid: 'u',
      resourceVersion: '5',
      generation: 2,
      creationTimestamp: '2024-01-01T00:00:00Z',
    }
    const cases: [what: string, next: ObjectMeta, old: ObjectMeta, texts: string[]][] = [
      ['nothing', {}, {}, []],
      ['the uid', { uid: 'v' }, {}, ['metadata.uid: Invalid value: "v": field is immutable']],
      ['no resourceVersion', { resourceVersion: '' }, {}, ['metadata.resourceVersion: Invalid value: "": must be specified for an update']],
      ['an older generation', { generation: 1 }, {}, ['metadata.generation: Invalid value: 1: must not be decremented']],
      [
        'times',
        { creationTimestamp: null, deletionTimestamp: '1999-01-01T00:00:00Z' },
        {},
        [
          'metadata.creationTimestamp: Invalid value: "null": field is immutable',
          'metadata.deletionTimestamp: Invalid value: 1999-01-01 00:00:00 +0000 UTC: field is immutable',
        ],
      ],
      [
        'a finalizer while it is being deleted',
        { finalizers: ['a.b/c', 'a.b/a'], deletionTimestamp: '2024-01-01T00:00:00Z' },
        { finalizers: ['a.b/c'], deletionTimestamp: '2024-01-01T00:00:00Z' },
        [
          'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"a.b/a"}',
        ],
      ],
    ]
    for (const [what, next, old, texts] of cases) {
      it(what, () =>
        expect(validateObjectMetaUpdate({ ...base, ...next }, { ...base, ...old }, path).map(fieldErrorText)).to.deep.equal(texts),
      )
    }
  })

  it('is validated in steps, one for each field', () => {
    const meta: ObjectMeta = {
      name: 'x',
      namespace: 'ns',
      labels: { a: 'b' },
      annotations: { a: 'b' },
      ownerReferences: [owner()],
      finalizers: ['a.b/c'],
    }
    endTurn()
    expect([...validateObjectMetaInSteps(meta, true, nameIsDnsSubdomain, path)]).to.have.length(5)
    expect([...validateObjectMetaUpdateInSteps(meta, meta, path)]).to.have.length(4)
  })
})
