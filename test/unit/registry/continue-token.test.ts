import { expect } from 'chai'
import { decodeContinue, encodeContinue } from '../../../src/registry/continue-token.ts'
import { key, revision } from '../../../src/storage/revision.ts'

const prefix = key('/registry/pods/')
const token = (fields: object) => Buffer.from(JSON.stringify(fields)).toString('base64url')
const v = 'meta.k8s.io/v1'

describe('continue tokens', () => {
  it('come back as they went', () => {
    const start = key('/registry/pods/default/web-1\0')
    expect(decodeContinue(encodeContinue(start, prefix, revision(42)), prefix)).to.deep.equal({ start, revision: 42 })
    expect(decodeContinue(encodeContinue(start, prefix, -1), prefix)).to.deep.equal({ start, revision: -1 })
  })

  it('are read as kube-apiserver writes them', () => {
    const upstream = 'eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6NSwic3RhcnQiOiJkZWZhdWx0L2FcdTAwMDAifQ'
    expect(decodeContinue(upstream, prefix)).to.deep.equal({ start: '/registry/pods/default/a\0', revision: 5 })
  })

  const refused: [string, string, string][] = [
    ['a start that climbs out', token({ v, rv: 5, start: '../../services/x' }), 'continue key is not valid: ../../services/x'],
    ['a start that climbs out behind a slash', token({ v, rv: 5, start: '/../x' }), 'continue key is not valid: /../x'],
    ['an empty segment', token({ v, rv: 5, start: 'a//b' }), 'continue key is not valid: a//b'],
    ['no start', token({ v, rv: 5, start: '' }), 'continue key is not valid: encoded start key empty (version meta.k8s.io/v1)'],
    ['no version', token({ rv: 5, start: 'a' }), 'continue key is not valid: server does not recognize this encoded version '],
    ['revision zero', token({ v, rv: 0, start: 'a' }), 'continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)'],
    ['what is no base64', 'a*b', 'continue key is not valid: illegal base64 data at input byte 1'],
  ]
  for (const [what, text, message] of refused)
    it(`are refused: ${what}`, () => {
      expect(() => decodeContinue(text, prefix)).to.throw(message)
    })
})
