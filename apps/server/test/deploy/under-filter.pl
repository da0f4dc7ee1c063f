# Runs a program under a seccomp filter: perl under-filter.pl ALLOWED PROGRAM ARGUMENT…
# ALLOWED names the permitted system calls, separated by commas. Any other call fails with EPERM.
use strict;
use warnings;
require "syscall.ph";

my ($allowed, @command) = @ARGV;
my ($PR_SET_NO_NEW_PRIVS, $PR_SET_SECCOMP, $SECCOMP_MODE_FILTER) = (38, 22, 2);
my ($LOAD, $JUMP_IF_EQUAL, $RETURN) = (0x20, 0x15, 0x06);
my ($ALLOW, $EPERM) = (0x7fff0000, 0x00050001);

# struct sock_filter: code, jump if true, jump if false, value
sub instruction { return pack "SCCL", @_ }

no strict "refs";
my @numbers = map { &{"SYS_$_"}() } grep { defined &{"SYS_$_"} } split /,/, $allowed;
use strict "refs";
my @program = (instruction($LOAD, 0, 0, 0));
push @program, instruction($JUMP_IF_EQUAL, 0, 1, $_), instruction($RETURN, 0, 0, $ALLOW) for @numbers;
push @program, instruction($RETURN, 0, 0, $EPERM);
my $bytes = join "", @program;
# struct sock_fprog: a length, and after padding a pointer
my $filter = pack "S x![P] P", scalar @program, $bytes;

my $prctl = SYS_prctl();
syscall($prctl, $PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 or die "no_new_privs: $!\n";
syscall($prctl, $PR_SET_SECCOMP, $SECCOMP_MODE_FILTER, $filter) == 0 or die "seccomp: $!\n";
exec { $command[0] } @command or die "$command[0]: $!\n";
