import { expect } from 'chai'
import type { Json } from '../../../src/api/meta/object.ts'
import { redactedChanges, redactedUri } from '../../../src/why/redaction.ts'

const HIDDEN = '<redacted>'
const shown = (path: string, value: Json, secret = false): Json => {
  const changes = redactedChanges([{ op: 'add', path, value }], secret)
  return changes === 'too large' ? changes : (changes[0]?.value ?? null)
}

describe('redaction', () => {
  it('removes everything of a secret except its metadata', () => {
    expect(shown('/data', { a: 'x' }, true)).to.equal(HIDDEN)
    expect(shown('/data/a', 'x', true)).to.equal(HIDDEN)
    expect(shown('', { data: { a: 'x' }, metadata: { name: 'n' } }, true)).to.deep.equal({ metadata: { name: 'n' } })
    expect(shown('/metadata/labels/a', 'x', true)).to.equal('x')
  })
  it('removes the last applied configuration', () => {
    expect(shown('/metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration', '{"data":1}', true)).to.equal(HIDDEN)
    expect(shown('/metadata/annotations', { 'kubectl.kubernetes.io/last-applied-configuration': 'x', a: 'b' }, true)).to.deep.equal({
      'kubectl.kubernetes.io/last-applied-configuration': HIDDEN,
      a: 'b',
    })
  })
  it('removes values whose names are those of credentials', () => {
    for (const name of ['password', 'dbPassword', 'apiToken', 'client_secret', 'privateKey', 'api-key', 'Authorization'])
      expect(shown(`/spec/${name}`, 'x'), name).to.equal(HIDDEN)
    expect(shown('/spec/env/-', { name: 'DB_PASSWORD', value: 'x' })).to.deep.equal({ name: 'DB_PASSWORD', value: HIDDEN })
    expect(shown('/spec', { list: [{ token: 'x', deep: { passwd: 'y' } }] })).to.deep.equal({
      list: [{ token: HIDDEN, deep: { passwd: HIDDEN } }],
    })
  })
  it('keeps names of secrets and other values', () => {
    for (const [path, value] of [
      ['/spec/secretName', 'tls'],
      ['/spec/volumes/0/secret', { secretName: 'tls' }],
      ['/spec/automountServiceAccountToken', true],
      ['/spec/replicas', 1],
      ['/spec/env/0', { name: 'MODE', value: 'x' }],
    ] as const)
      expect(shown(path, value), path).to.deep.equal(value)
    expect(redactedChanges([{ op: 'remove', path: '/data/a' }], true)).to.deep.equal([{ op: 'remove', path: '/data/a' }])
  })
  it('removes unknown query parameters of URIs', () => {
    expect(redactedUri('/api/v1/pods?limit=5&labelSelector=a%3Db')).to.equal('/api/v1/pods?limit=5&labelSelector=a%3Db')
    expect(redactedUri('/console?token=abc&watch=1')).to.equal(`/console?token=${HIDDEN}&watch=1`)
    expect(redactedUri('/api/v1/namespaces/a/pods/p/exec?command=mysql&command=-pabc')).to.equal(
      `/api/v1/namespaces/a/pods/p/exec?command=${HIDDEN}&command=${HIDDEN}`,
    )
    expect(redactedUri('/api/v1/namespaces/a/services/s/proxy/login/abc?x=1')).to.equal('/api/v1/namespaces/a/services/s/proxy/…')
  })
})
