import { expect } from 'chai'
import { TooManyValuesError } from '../../../../src/codec/json-exact.ts'
import { DocumentTooLongError } from '../../../../src/extensions/aggregation/backend-client.ts'
import { DocumentFailures } from '../../../../src/extensions/aggregation/document-failures.ts'
import { silentLogger } from '../../../../src/lib/log.ts'

describe('DocumentFailures', () => {
  const world = () => {
    const logged: string[] = []
    const log = (level: string) => (message: string, fields?: object) => void logged.push(`${level}: ${message} ${JSON.stringify(fields)}`)
    const debug = (level: number, message: string, fields?: object) => log(String(level))(message, fields)
    return { logged, failures: new DocumentFailures({ ...silentLogger, warn: log('warning'), debug }, 'unread') }
  }

  it('logs an exceeded limit as a warning, once until the document is read', () => {
    const { logged, failures } = world()
    const tooMany = new TooManyValuesError('too many')
    failures.failed('v1.a', tooMany)
    failures.failed('v1.a', tooMany)
    failures.failed('v1.b', tooMany)
    failures.failed('v1.a', new DocumentTooLongError('too long'))
    failures.passed('v1.a')
    failures.failed('v1.a', tooMany)
    expect(logged).to.deep.equal([
      'warning: unread {"name":"v1.a","error":"too many"}',
      'warning: unread {"name":"v1.b","error":"too many"}',
      'warning: unread {"name":"v1.a","error":"too long"}',
      'warning: unread {"name":"v1.a","error":"too many"}',
    ])
  })

  it('logs other failures at level 2', () => {
    const { logged, failures } = world()
    failures.failed('v1.a', new Error('refused'))
    expect(logged).to.deep.equal(['2: unread {"name":"v1.a","error":"refused"}'])
  })
})
