import { expect, test } from 'vitest';
import { socketFilter } from '../../../src/core/socket-filter.ts';

const ALLOW = 0x7fff0000;
const [NO_SUCH_FAMILY, NO_SUCH_CALL] = [0x00050000 | 97, 0x00050000 | 38];

/** What the kernel does with a filter: classic BPF over `struct seccomp_data`, with bounds. */
function run(
  filter: Uint8Array,
  call: number,
  audit: number,
  [first, second = 0n]: readonly bigint[],
): number {
  const data = new DataView(new ArrayBuffer(64));
  data.setUint32(0, call, true);
  data.setUint32(4, audit, true);
  data.setBigUint64(16, first ?? 0n, true);
  data.setBigUint64(24, second, true);
  const program = new DataView(filter.buffer);
  let loaded = 0;
  for (let at = 0; ; at += 1) {
    const code = program.getUint16(8 * at, true);
    const value = program.getUint32(8 * at + 4, true);
    const jump = (taken: boolean) => program.getUint8(8 * at + (taken ? 2 : 3));
    if (code === 0x20) loaded = data.getUint32(value, true);
    else if (code === 0x15) at += jump(loaded === value);
    else if (code === 0x35) at += jump(loaded >= value);
    else if (code === 0x45) at += jump((loaded & value) !== 0);
    else if (code === 0x06) return value;
    else throw new Error(`unknown instruction ${code}`);
  }
}

const [X64, ARM64, I386] = [0xc000003e, 0xc00000b7, 0x40000003];

test.each([
  ['a Unix socket', 'x64', 41, X64, [1n], NO_SUCH_FAMILY],
  ['one with a dirty upper half of the argument', 'x64', 41, X64, [0xffff_ffff_0000_0001n], NO_SUCH_FAMILY],
  ['a socket of the network', 'x64', 41, X64, [2n], ALLOW],
  ['a pair of streams, which leads nowhere', 'x64', 53, X64, [1n, 0x80001n], ALLOW],
  ['a pair for packets, likewise', 'x64', 53, X64, [1n, 5n], ALLOW],
  ['a pair for datagrams, which can be sent elsewhere', 'x64', 53, X64, [1n, 0x80002n], NO_SUCH_FAMILY],
  ['a raw pair, which is the same', 'x64', 53, X64, [1n, 3n], NO_SUCH_FAMILY],
  ['any other call', 'x64', 0, X64, [1n], ALLOW],
  ['io_uring, which makes sockets without such a call', 'x64', 425, X64, [0n], NO_SUCH_CALL],
  ['a call with 32-bit pointers', 'x64', 41 | 0x40000000, X64, [1n], NO_SUCH_CALL],
  ['a call of a 32-bit program', 'x64', 359, I386, [1n], NO_SUCH_CALL],
  ['a Unix socket on another machine', 'arm64', 198, ARM64, [1n], NO_SUCH_FAMILY],
  ['its socket of the network', 'arm64', 198, ARM64, [10n], ALLOW],
  ['its pair for datagrams', 'arm64', 199, ARM64, [1n, 2n], NO_SUCH_FAMILY],
  ['its io_uring', 'arm64', 425, ARM64, [0n], NO_SUCH_CALL],
] as const)('%s', (_, arch, call, audit, args, verdict) => {
  expect(run(socketFilter(arch) ?? new Uint8Array(), call, audit, args)).toBe(verdict);
});

test('a machine whose calls we do not know has none', () => {
  expect(socketFilter('riscv64')).toBeNull();
});
