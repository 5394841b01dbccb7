import { expect } from 'chai'
import { badRequestError, type StatusError } from '../../../src/meta/status.ts'
import { toStatus } from '../../../src/registry/errors.ts'
import { BackendError } from '../../../src/storage/backend.ts'
import { revision } from '../../../src/storage/revision.ts'
import { StorageError } from '../../../src/storage/storage.ts'

const gr = { group: 'apps', resource: 'deployments' }
const at = { revision: revision(7) }

describe('storage errors as Status', () => {
  const retry = (retryAfterSeconds: number) => ({ group: 'apps', kind: 'deployments', retryAfterSeconds })
  const named = { name: 'web', group: 'apps', kind: 'deployments' }
  const table: [Error, verb: string, wanted: string, code: number, reason: string, message: string, details?: object][] = [
    [new StorageError('not found', ''), 'get', '', 404, 'NotFound', 'deployments.apps "web" not found', named],
    [new StorageError('exists', ''), 'create', '', 409, 'AlreadyExists', 'deployments.apps "web" already exists', named],
    [
      new StorageError('conflict', ''),
      'update',
      '',
      409,
      'Conflict',
      'Operation cannot be fulfilled on deployments.apps "web": the object has been modified; please apply your changes to the latest version and try again',
      named,
    ],
    [new StorageError('expired', '', at), 'list', '3', 410, 'Expired', 'The resourceVersion for the provided list is too old.'],
    [new StorageError('expired', '', at), 'watch', '3', 410, 'Expired', 'too old resource version: 3 (7)'],
    [
      new StorageError('too large revision', '', at),
      'list',
      '9',
      504,
      'Timeout',
      'Timeout: Too large resource version: 9, current: 7',
      { causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }], retryAfterSeconds: 1 },
    ],
    [
      new StorageError('unavailable', 'no member'),
      'get',
      '',
      503,
      'ServiceUnavailable',
      'the storage backend is unavailable (get deployments.apps): no member',
      retry(1),
    ],
    [
      new StorageError('timeout', ''),
      'list',
      '',
      504,
      'ServerTimeout',
      'The list operation against deployments.apps could not be completed at this time, please try again.',
      retry(2),
    ],
    [
      new StorageError('initializing', 'storage is (re)initializing', { retryAfterSeconds: 6 }),
      'list',
      '',
      429,
      'TooManyRequests',
      'storage is (re)initializing',
      { retryAfterSeconds: 6 },
    ],
    [new StorageError('too large', 'limit is 3'), 'create', '', 413, 'RequestEntityTooLarge', 'Request entity too large: limit is 3'],
    [
      new StorageError('corrupt', 'bad bytes'),
      'get',
      '',
      500,
      'InternalError',
      'Internal error occurred: bad bytes',
      { causes: [{ message: 'bad bytes' }] },
    ],
    [
      new StorageError('not transformed', 'no key'),
      'create',
      '',
      500,
      'InternalError',
      'Internal error occurred: no key',
      { causes: [{ message: 'no key' }] },
    ],
    [new StorageError('corrupt', 'saw a deletion', { causes: [] }), 'watch', '', 500, 'StorageReadError', 'saw a deletion'],
    [
      new StorageError('corrupt', '', {
        causes: [{ reason: 'UnexpectedServerResponse', message: 'bad bytes', field: '/registry/deployments/a/web' }],
      }),
      'list',
      '',
      500,
      'StorageReadError',
      'failed to read one or more deployments.apps from the storage',
      {
        name: 'list',
        group: 'apps',
        kind: 'deployments',
        causes: [{ reason: 'UnexpectedServerResponse', message: 'bad bytes', field: '/registry/deployments/a/web' }],
      },
    ],
    [
      new StorageError('corrupt', 'several', {
        causes: [{ reason: 'UnexpectedServerResponse', message: 'bad bytes', field: '/registry/deployments/a/web' }],
      }),
      'list',
      '',
      500,
      'StorageReadError',
      'failed to read one or more deployments.apps from the storage: several',
      {
        name: 'list',
        group: 'apps',
        kind: 'deployments',
        causes: [{ reason: 'UnexpectedServerResponse', message: 'bad bytes', field: '/registry/deployments/a/web' }],
      },
    ],
    [new BackendError('compacted', ''), 'list', '', 410, 'Expired', 'The resourceVersion for the provided list is too old.'],
    [
      new BackendError('unavailable', 'x'),
      'get',
      '',
      503,
      'ServiceUnavailable',
      'the storage backend is unavailable (get deployments.apps): x',
      retry(1),
    ],
    [new BackendError('too large', 'x'), 'create', '', 413, 'RequestEntityTooLarge', 'Request entity too large: x'],
    [
      new BackendError('corrupt', 'x'),
      'get',
      '',
      500,
      'InternalError',
      'Internal error occurred: deployments.apps "web": x',
      { causes: [{ message: 'deployments.apps "web": x' }] },
    ],
    ...(['future', 'timeout', 'aborted'] as const).map(
      code =>
        [
          new BackendError(code, ''),
          'get',
          '',
          504,
          'ServerTimeout',
          'The get operation against deployments.apps could not be completed at this time, please try again.',
          retry(2),
        ] as [Error, string, string, number, string, string, object],
    ),
  ]
  for (const [error, verb, wanted, code, reason, message, details] of table)
    it(`${error.name} ${(error as StorageError).code}, ${verb}`, () => {
      const { status } = toStatus(error, { gr, name: 'web', verb, ...(wanted !== undefined && { wanted }) }) as StatusError
      expect(status).to.deep.equal({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message,
        reason,
        ...(details && { details }),
        code,
      })
    })

  it('omits an empty group', () => {
    const { status } = toStatus(new StorageError('timeout', ''), {
      gr: { group: '', resource: 'pods' },
      name: 'a',
      verb: 'get',
    }) as StatusError
    expect(status.details).to.deep.equal({ kind: 'pods', retryAfterSeconds: 2 })
  })

  it('returns other errors unchanged', () => {
    const told = badRequestError('no')
    const bug = new Error('bug')
    expect(toStatus(told, { gr, name: 'web', verb: 'get' })).to.equal(told)
    expect(toStatus(bug, { gr, name: 'web', verb: 'get' })).to.equal(bug)
  })
})
