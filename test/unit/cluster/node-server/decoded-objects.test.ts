import { expect } from 'chai'
import type { Json, TypedObject } from '../../../../src/api/meta/object.ts'
import { KwokObjectError } from '../../../../src/cluster/kwok/field-reader.ts'
import { decodeInSteps } from '../../../../src/cluster/kwok/object-reader.ts'
import { DecodedObjects } from '../../../../src/cluster/node-server/decoded-objects.ts'
import { endTurn } from '../../../../src/lib/turn.ts'

const named = (name: string, resourceVersion = '1', spec: object = { text: name }): TypedObject => {
  const object: unknown = { metadata: { name, resourceVersion }, spec }
  return object as TypedObject
}

/** Decodes the texts of objects, each in a turn of its own. Records what it has decoded. */
function texts(): { readonly objects: DecodedObjects<string>; readonly decoded: string[] } {
  const decoded: string[] = []
  const objects = new DecodedObjects('Example', (object: Json) =>
    decodeInSteps(object, ['Example'], function* (spec, { name }) {
      endTurn()
      yield
      decoded.push(name)
      return spec.requiredText('text')
    }),
  )
  return { objects, decoded }
}

describe('decoded objects', () => {
  it('are returned in the order of the objects, an invalid one as its error', async () => {
    const [valid, invalid] = await texts().objects.ofAll([named('b'), named('a', '1', {})])
    expect(valid).to.equal('b')
    expect(invalid).to.be.instanceOf(KwokObjectError).with.property('message').that.includes('spec.text: Required value')
  })

  it('are decoded once for a version, for requests that come meanwhile too', async () => {
    const { objects, decoded } = texts()
    await Promise.all([objects.ofSome([named('a')]), objects.ofSome([named('a')]), objects.ofAll([named('a')])])
    await objects.ofSome([named('a')])
    expect(decoded).to.deep.equal(['a'])
    await objects.ofSome([named('a', '2')])
    expect(decoded).to.deep.equal(['a', 'a'])
  })

  it('are forgotten once a list does not have them', async () => {
    const { objects, decoded } = texts()
    await objects.ofAll([named('a'), named('b')])
    await objects.ofAll([named('b')])
    await objects.ofSome([named('a'), named('b')])
    expect(decoded).to.deep.equal(['a', 'b', 'a'])
  })
})
