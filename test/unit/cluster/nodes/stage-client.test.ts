import { expect } from 'chai'
import { KubeletStageClient, patchOf } from '../../../../src/cluster/nodes/stage-client.ts'

const POD = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', uid: 'u-1' } }

describe('the patch of a stage', () => {
  it('names the uid of its object', () => {
    expect(patchOf(POD, { status: { phase: 'Running' } })).to.deep.equal({ status: { phase: 'Running' }, metadata: { uid: 'u-1' } })
    expect(patchOf(POD, { metadata: { labels: { a: 'b' }, uid: 'other' } })).to.deep.equal({ metadata: { labels: { a: 'b' }, uid: 'u-1' } })
  })

  it('tests the uid before the operations of a JSON patch', () => {
    const operations = [{ op: 'add', path: '/metadata/finalizers', value: ['a/b'] }]
    expect(patchOf(POD, operations)).to.deep.equal([{ op: 'test', path: '/metadata/uid', value: 'u-1' }, ...operations])
  })

  it('remains as it is for an object without a uid, and must be a patch', () => {
    const unknown = { ...POD, metadata: { name: 'p' } }
    expect(patchOf(unknown, { status: {} })).to.deep.equal({ status: {} })
    expect(patchOf(unknown, [])).to.deep.equal([])
    expect(() => patchOf(POD, 'text')).to.throw('a stage of Pod renders a patch that is neither an object nor a list')
  })
})

describe('an object that a stage applies', () => {
  const reject = async (data: unknown): Promise<string> => {
    const client = new KubeletStageClient({} as never, {} as never, () => undefined)
    const write = { type: 'application/apply-patch+yaml', data: data as never, subresource: '' } as const
    return client.apply(POD, write).then(
      () => '',
      (error: Error) => error.message,
    )
  }

  it('must have what names it', async () => {
    for (const data of [[], {}, { apiVersion: 7, kind: 'A', metadata: { name: 'a' } }])
      expect(await reject(data)).to.equal('a stage of Pod applies an object without apiVersion')
    expect(await reject({ apiVersion: 'v1', kind: ['A'] })).to.equal('a stage of Pod applies an object without kind')
    for (const metadata of [undefined, 3, {}, { name: '' }])
      expect(await reject({ apiVersion: 'v1', kind: 'A', metadata })).to.equal('a stage of Pod applies an object without metadata.name')
  })
})
