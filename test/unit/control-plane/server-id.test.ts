import { expect } from 'chai'
import { serverId } from '../../../src/control-plane/server-id.ts'

describe('serverId', () => {
  const ids = { localhost: 'apiserver-l2yubf4cvcl5c7a3wrubrwqdve', 'node-1.example.com': 'apiserver-iwnuvvk6ostz3iw72j5q3rbs5i' }
  for (const [name, id] of Object.entries(ids)) it(`is kube-apiserver's on ${name}`, () => expect(serverId(name)).to.equal(id))
})
