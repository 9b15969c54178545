/*
 * A filter for the kernel (seccomp, classic BPF) that lets a process make no Unix sockets but pairs of connected ones: a
 * read-only file system does not keep it from talking to what listens on one (docker, ssh-agent, the user's systemd),
 * each of which is a way out.
 */

/** `EAFNOSUPPORT`, as on a machine that has no Unix sockets, and `ENOSYS`, as on one that lacks a call. */
const [NO_SUCH_FAMILY, NO_SUCH_CALL] = [97, 38];
const AF_UNIX = 1;
/** The number of `io_uring_setup`, by which sockets can be made without a call that a filter sees. */
const IO_URING_SETUP = 425;

/** Of each architecture its number for the kernel (`AUDIT_ARCH_…`), and those of the calls `socket` and `socketpair`. */
const MACHINES: Readonly<Record<string, Readonly<Record<'audit' | 'socket' | 'pair', number>>>> = {
  x64: { audit: 0xc000003e, socket: 41, pair: 53 },
  arm64: { audit: 0xc00000b7, socket: 198, pair: 199 },
};

/** Where the fields of `struct seccomp_data` lie: the call, the architecture, and the lower halves of two arguments. */
const [CALL, ARCHITECTURE, FIRST_ARGUMENT, SECOND_ARGUMENT] = [0, 4, 16, 24];
/** `SOCK_DGRAM` and `SOCK_RAW` have this bit: one of a pair of those sends to any address. */
const DATAGRAM = 2;
/** On x64, calls of programs with 32-bit pointers have this bit. */
const X32 = 0x40000000;

const LOAD = 0x20;
const IF_EQUAL = 0x15;
const IF_AT_LEAST = 0x35;
const IF_BITS = 0x45;
const RETURN = 0x06;
const ALLOW = 0x7fff0000;
const fail = (errno: number): number => 0x00050000 | errno;

/** The filter for an architecture as Node names it, as `bwrap --seccomp` reads it; null where we have none. */
export function socketFilter(arch: string): Uint8Array | null {
  const machine = MACHINES[arch];
  if (machine === undefined) return null;
  const instructions: readonly (readonly [code: number, ifTrue: number, ifFalse: number, value: number])[] = [
    [LOAD, 0, 0, ARCHITECTURE],
    // Calls of another architecture, such as 32-bit ones, would have other numbers.
    [IF_EQUAL, 0, 10, machine.audit],
    [LOAD, 0, 0, CALL],
    [IF_AT_LEAST, 8, 0, X32],
    [IF_EQUAL, 7, 0, IO_URING_SETUP],
    [IF_EQUAL, 3, 0, machine.pair],
    [IF_EQUAL, 0, 6, machine.socket],
    [LOAD, 0, 0, FIRST_ARGUMENT],
    [IF_EQUAL, 2, 4, AF_UNIX],
    [LOAD, 0, 0, SECOND_ARGUMENT],
    [IF_BITS, 0, 2, DATAGRAM],
    [RETURN, 0, 0, fail(NO_SUCH_FAMILY)],
    [RETURN, 0, 0, fail(NO_SUCH_CALL)],
    [RETURN, 0, 0, ALLOW],
  ];
  const bytes = new DataView(new ArrayBuffer(8 * instructions.length));
  for (const [i, [code, ifTrue, ifFalse, value]] of instructions.entries()) {
    bytes.setUint16(8 * i, code, true);
    bytes.setUint8(8 * i + 2, ifTrue);
    bytes.setUint8(8 * i + 3, ifFalse);
    bytes.setUint32(8 * i + 4, value, true);
  }
  return new Uint8Array(bytes.buffer);
}
