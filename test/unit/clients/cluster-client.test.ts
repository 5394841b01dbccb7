import { expect } from 'chai'
import { ClusterClient } from '../../../src/clients/cluster-client.ts'

describe('ClusterClient', () => {
  it('suggests that the server is not running if the connection is refused', async () => {
    const client = new ClusterClient({ server: new URL('http://127.0.0.1:1'), headers: {}, tls: {} })
    const message = await client.json('/apis').then(String, (error: Error) => error.message)
    expect(message).to.equal('http://127.0.0.1:1 refuses connections: is the server running?')
  })
})
