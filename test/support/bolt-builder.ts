/** A small file of bbolt, as a test writes it: pages of 4096 bytes, a bucket whose leaves hang below a branch. */
const PAGE = 4096

/** Two meta pages, the root with one bucket, a branch, and a leaf for each list of entries. */
export function boltFile(bucket: string, leaves: readonly (readonly (readonly [key: Buffer, value: Buffer])[])[]): Buffer {
  const root = 2
  const branch = 3
  const bucketValue = Buffer.alloc(16)
  bucketValue.writeBigUInt64LE(BigInt(branch))
  const pages = [
    meta(0, root, 1n),
    meta(1, root, 2n),
    leaf(root, [{ key: Buffer.from(bucket), value: bucketValue, flags: 1 }]),
    branchPage(
      branch,
      leaves.map((entries, i) => ({ key: entries[0]?.[0] ?? Buffer.alloc(0), page: branch + 1 + i })),
    ),
    ...leaves.map((entries, i) =>
      leaf(
        branch + 1 + i,
        entries.map(([key, value]) => ({ key, value, flags: 0 })),
      ),
    ),
  ]
  return Buffer.concat(pages)
}

function page(id: number, flags: number, count: number): Buffer {
  const bytes = Buffer.alloc(PAGE)
  bytes.writeBigUInt64LE(BigInt(id), 0)
  bytes.writeUInt16LE(flags, 8)
  bytes.writeUInt16LE(count, 10)
  return bytes
}

function meta(id: number, root: number, transaction: bigint): Buffer {
  const bytes = page(id, 4, 0)
  bytes.writeUInt32LE(0xed0cdaed, 16)
  bytes.writeUInt32LE(2, 20)
  bytes.writeUInt32LE(PAGE, 24)
  bytes.writeBigUInt64LE(BigInt(root), 32)
  bytes.writeBigUInt64LE(transaction, 64)
  let hash = 0xcbf29ce484222325n
  for (const byte of bytes.subarray(16, 72)) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn
  bytes.writeBigUInt64LE(hash, 72)
  return bytes
}

function leaf(id: number, entries: readonly { readonly key: Buffer; readonly value: Buffer; readonly flags: number }[]): Buffer {
  const bytes = page(id, 2, entries.length)
  let at = 16 + entries.length * 16
  for (const [i, { key, value, flags }] of entries.entries()) {
    const element = 16 + i * 16
    bytes.writeUInt32LE(flags, element)
    bytes.writeUInt32LE(at - element, element + 4)
    bytes.writeUInt32LE(key.length, element + 8)
    bytes.writeUInt32LE(value.length, element + 12)
    key.copy(bytes, at)
    value.copy(bytes, at + key.length)
    at += key.length + value.length
  }
  return bytes
}

function branchPage(id: number, children: readonly { readonly key: Buffer; readonly page: number }[]): Buffer {
  const bytes = page(id, 1, children.length)
  let at = 16 + children.length * 16
  for (const [i, { key, page: child }] of children.entries()) {
    const element = 16 + i * 16
    bytes.writeUInt32LE(at - element, element)
    bytes.writeUInt32LE(key.length, element + 4)
    bytes.writeBigUInt64LE(BigInt(child), element + 8)
    key.copy(bytes, at)
    at += key.length
  }
  return bytes
}
