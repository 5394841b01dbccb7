import { expect } from 'chai'
import type { Json } from '../../../../src/api/meta/object.ts'
import { types } from '../../../../src/catalog/types.ts'
import { goSyntax } from '../../../../src/schema/go/go-print.ts'
import { goMessages } from '../../../support/go-messages.ts'

const print = (type: string, value: Json): string => goSyntax(types.type(type), value).text

describe("values in Go's syntax", () => {
  for (const [i, { type, next, print: wanted }] of goMessages().entries()) {
    if (wanted !== undefined) it(`print a ${type}, ${i}`, () => expect(print(`core.${type}`, next)).to.equal(wanted))
  }

  const others: [string, Json, string][] = [
    ['core.NodeAddress', { type: 'Hostname', address: 'a' }, 'core.NodeAddress{Type:"Hostname", Address:"a"}'],
    [
      'batch.SuccessPolicy',
      { rules: [{ succeededCount: 1 }] },
      'batch.SuccessPolicy{Rules:[]batch.SuccessPolicyRule{batch.SuccessPolicyRule{SucceededIndexes:(*string)(nil), SucceededCount:(*int32)(0xc000000000)}}}',
    ],
    [
      'core.SecretKeySelector',
      { name: 'a', key: 'b"' },
      'core.SecretKeySelector{LocalObjectReference:core.LocalObjectReference{Name:"a"}, Key:"b\\"", Optional:(*bool)(nil)}',
    ],
  ]
  for (const [type, value, text] of others) it(`print a ${type}`, () => expect(print(type, value)).to.equal(text))

  it('include times, and are truncated', () => {
    expect(print('meta.ObjectMeta', { creationTimestamp: '2026-01-02T03:04:05Z' })).to.include(
      'CreationTimestamp:time.Date(2026, time.January, 2, 3, 4, 5, 0, time.Local)',
    )
    const finalizers = Array.from({ length: 50_000 }, (_, i) => `example.com/${i}`)
    expect(print('meta.ObjectMeta', { finalizers }))
      .to.have.lengthOf.below(70_000)
      .and.match(/\.\.\./)
  })
})
