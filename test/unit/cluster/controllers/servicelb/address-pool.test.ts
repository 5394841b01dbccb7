import { expect } from 'chai'
import { AddressPool } from '../../../../../src/cluster/controllers/servicelb/address-pool.ts'

describe('addresses of load balancers', () => {
  it('are the lowest free ones, without the first and last of an IPv4 range', () => {
    const pool = new AddressPool(['192.0.2.0/30', '192.0.2.128/31', 'fd00::/126'])
    const assigned = (family: 4 | 6): (string | undefined)[] => ['a', 'b', 'c', 'd', 'e'].map(owner => pool.assign(family, owner))
    expect(assigned(4)).to.deep.equal(['192.0.2.1', '192.0.2.2', '192.0.2.128', '192.0.2.129', undefined])
    expect(assigned(6)).to.deep.equal(['fd00::1', 'fd00::2', 'fd00::3', undefined, undefined])
    pool.release(['192.0.2.2', '192.0.2.1'], 'b')
    expect([pool.assign(4, 'f'), pool.assign(4, 'g')]).to.deep.equal(['192.0.2.2', undefined])
  })

  it('can be taken by one owner, if they are in a range', () => {
    const pool = new AddressPool(['192.0.2.0/29'])
    expect([pool.take('192.0.2.1', 'a'), pool.take('192.0.2.1', 'a'), pool.take('192.0.2.1', 'b')]).to.deep.equal([true, true, false])
    expect(['192.0.2.0', '192.0.2.7', '192.0.3.1', 'fd00::1', 'nonsense'].map(address => pool.take(address, 'a'))).to.deep.equal([
      false,
      false,
      false,
      false,
      false,
    ])
    expect(pool.assign(4, 'b')).to.equal('192.0.2.2')
    pool.release(['192.0.2.1'], 'b')
    expect(pool.take('192.0.2.1', 'b')).to.equal(false)
  })
})
