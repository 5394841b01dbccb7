import { attachmentName } from '../../../src/cluster/controllers/persistentvolumeattachdetach/desired.ts'

/** Functions of the tables, or the reason why a table has none. */
export const TABLES: Readonly<Record<string, ((given: never) => unknown) | string>> = {
  'attachment-name': ({ volumeHandle, driver, node }: { volumeHandle: string; driver: string; node: string }) =>
    attachmentName(volumeHandle, driver, node),
}
