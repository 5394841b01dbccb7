import { expect } from 'chai'
import { decodedObject, type Json } from '../../../src/api/meta/object.ts'
import { scaleSpecErrors, scaleStatusErrors } from '../../../src/extensions/custom-scale.ts'
import { fieldErrorText } from '../../../src/meta/field-error.ts'

const PATHS = { specReplicasPath: '.spec.a.replicas', statusReplicasPath: '.status.replicas' }
const object = (members: Record<string, Json>) =>
  decodedObject({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' }, ...members })

describe('replicas of a custom object', () => {
  for (const [spec, text] of [
    [null, undefined],
    [{}, undefined],
    [{ a: null }, undefined],
    [{ a: { replicas: 3 } }, undefined],
    [{ a: { replicas: null } }, '.spec.a.replicas accessor error: <nil> is of the type <nil>, expected int64'],
    [{ a: 'x' }, '.spec.a.replicas accessor error: x is of the type string, expected map[string]interface{}'],
  ] as const)
    it(`are read from spec ${JSON.stringify(spec)} as Go reads nested fields`, () => {
      const texts = scaleSpecErrors(object({ spec }), PATHS).map(fieldErrorText)
      if (text === undefined) expect(texts).to.deep.equal([])
      else expect(texts.join()).to.contain(text)
    })

  it('are absent if status is null', () => {
    expect(scaleStatusErrors(object({ status: null }), PATHS)).to.deep.equal([])
  })
})
