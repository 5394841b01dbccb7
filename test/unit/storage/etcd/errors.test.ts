import { expect } from 'chai'
import { StatusError } from '../../../../src/meta/status.ts'
import { Status } from '../../../../src/protocols/grpc/call-failure.ts'
import { toStatus } from '../../../../src/registry/errors.ts'
import { toStorageError } from '../../../../src/storage/errors.ts'
import { backendError } from '../../../../src/storage/etcd/errors.ts'
import { never } from '../../../support/backend.ts'

const failure = (code: number, details: string) => Object.assign(new Error(details), { code, details })

describe('errors of etcd', () => {
  it('are a 500 with the message of etcd if its quota is exceeded, as in kube-apiserver', () => {
    const error = backendError(failure(Status.RESOURCE_EXHAUSTED, 'etcdserver: mvcc: database space exceeded'), never)
    expect(error.code).to.equal('no space')
    for (const each of [error, toStorageError(error)]) {
      const status = toStatus(each, { gr: { group: '', resource: 'configmaps' }, name: 'a', verb: 'create' })
      if (!(status instanceof StatusError)) throw new Error('it is no Status')
      expect([status.status.code, status.status.reason ?? '', status.message]).to.deep.equal([
        500,
        '',
        'etcdserver: mvcc: database space exceeded',
      ])
    }
  })

  for (const [details, message] of [
    [
      'No connection established. Last error: 807C6C42967F0000:error:0A000415:SSL routines:ssl3_read_bytes:sslv3 alert certificate expired:../deps/openssl/openssl/ssl/record/rec_layer_s3.c:1601:SSL alert number 45\n (2026-11-29T00:05:04.222Z). Resolution note: ',
      'TLS: sslv3 alert certificate expired',
    ],
    [
      'No connection established. Last error: Error: connect ECONNREFUSED 127.0.0.1:2379. Resolution note: ',
      'connect ECONNREFUSED 127.0.0.1:2379',
    ],
    ['etcdserver: request timed out', 'etcdserver: request timed out'],
  ] as const)
    it(`have the message "${message}"`, () => {
      expect(backendError(failure(Status.UNAVAILABLE, details), never).message).to.equal(message)
    })
})
