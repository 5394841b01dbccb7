import { expect } from 'chai'
import { resourcePoolStatusRequestResource } from '../../../../../src/resources/resource/resource-pool-status-request/definition.ts'
import { featuresIn } from '../../../../support/hook-context.ts'
import { causesOf, KindCases, validates } from '../../../../support/kind-cases.ts'

const features = featuresIn('1.36')
const of = (parts: object = {}): object => ({ spec: { driver: 'gpu.example.com', ...parts } })
const pool = (parts: object = {}): object => ({
  driver: 'gpu.example.com',
  poolName: 'a/b',
  generation: 1,
  totalDevices: 4,
  allocatedDevices: 3,
  availableDevices: 1,
  ...parts,
})
const condition = (type: string): object => ({ type, status: 'True', reason: 'R', message: '', lastTransitionTime: '2026-01-02T03:04:04Z' })

describe('ResourcePoolStatusRequest', () => {
  validates(
    resourcePoolStatusRequestResource,
    {
      'a request': [of({ poolName: 'a/b', limit: 1000 }), []],
      nothing: [{ spec: {} }, ['Required spec.driver']],
      'bad values': [
        of({ driver: 'a_b', poolName: 'A//b', limit: 1001 }),
        ['Invalid spec.driver', 'Invalid spec.poolName', 'Invalid spec.poolName', 'Invalid spec.limit'],
      ],
      'a limit of none': [of({ limit: 0 }), ['Invalid spec.limit']],
    },
    { 'the driver': [of(), of({ driver: 'other' }), ['Invalid spec']] },
    features,
  )

  const answered = async (...answers: object[]) => {
    const cases = new KindCases(resourcePoolStatusRequestResource, features)
    await cases.create({ ...of(), status: { poolCount: 9 } })
    let causes: string[] = []
    for (const status of answers) causes = await causesOf(cases.update({ ...of(), status }, {}, 'status'))
    return { causes, cells: cases.cells() }
  }

  it('defaults the limit to 100 and has no status on create', async () => {
    const cases = new KindCases(resourcePoolStatusRequestResource, features)
    const created = await cases.create({ ...of(), status: { poolCount: 9 } })
    expect(created.spec).to.have.property('limit', 100)
    expect(created).to.not.have.property('status')
    expect(cases.cells()).to.deep.equal(['x', 'gpu.example.com', '-', '-', '-', '-', '-', 0, 'Pending', '<none>'])
  })

  it('cannot change its status once set', async () => {
    const answer = { poolCount: 2, pools: [pool()], conditions: [condition('Complete')] }
    const { causes, cells } = await answered(answer)
    expect(causes).to.deep.equal([])
    expect(cells).to.deep.equal(['x', 'gpu.example.com', '4', '1', '3', '0', '0', 2, 'Complete (1/2 pools)', '1s'])
    expect((await answered(answer, { ...answer, poolCount: 3 })).causes).to.deep.equal(['Invalid status'])
    expect((await answered({ poolCount: 0, conditions: [condition('Failed')] })).cells?.slice(2)).to.deep.equal([
      '-',
      '-',
      '-',
      '-',
      '-',
      0,
      'Failed',
      '<none>',
    ])
  })

  it('validates its status', async () => {
    expect(
      (
        await answered({
          pools: [
            pool({
              driver: '',
              poolName: '',
              generation: 0,
              resourceSliceCount: 0,
              totalDevices: -1,
              nodeName: 'A',
              validationError: 'x'.repeat(257),
            }),
          ],
        })
      ).causes,
    ).to.deep.equal([
      'Required status.poolCount',
      'Required status.pools[0].driver',
      'Required status.pools[0].poolName',
      'Required status.pools[0].generation',
      'Invalid status.pools[0].resourceSliceCount',
      'Invalid status.pools[0].totalDevices',
      'Invalid status.pools[0].nodeName',
      'TooLong status.pools[0].validationError',
    ])
  })
})
