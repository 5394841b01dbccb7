import { SnapshotSender } from '../endpoints/history/send-snapshot.ts'
import type { OwnRoute } from '../endpoints/own-route.ts'
import type { ControlPlaneOptions } from './control-plane-options.ts'
import type { Service } from './service.ts'

/** Serves snapshots of an embedded store. */
export class SnapshotService implements Service {
  readonly routes: readonly OwnRoute[]

  constructor({ access: { authorizer }, storage: { backend } }: Pick<ControlPlaneOptions, 'access' | 'storage'>) {
    const sender = backend.snapshot && new SnapshotSender(authorizer, backend.snapshot.bind(backend))
    this.routes =
      sender === undefined ? [] : [{ path: '/binnacle/v1/snapshot', methods: ['GET'], handle: exchange => sender.send(exchange) }]
  }
}
