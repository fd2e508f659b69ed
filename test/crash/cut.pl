#!/usr/bin/env perl
# cut.pl PORT TARGET FILE: stands between a node and who asks it, on the loopback interface, and is the network there.  Lines of its
# input say what it does, FILE which of them holds: passes, holds (what comes stays, both ways), breaks (ends all connections, also new
# ones, by a reset).  With its input it ends.
use strict;
use warnings;
use Errno qw(EINTR);
use IO::Select;
use IO::Socket::INET;
use Socket qw(SOL_SOCKET SO_LINGER);

my ($port, $target, $file) = @ARGV;
my $does = 'passes';
my %other;
$SIG{PIPE} = 'IGNORE';

my $listener = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => $port, Listen => 50, ReuseAddr => 1) or die "$port: $!";
my $readable = IO::Select->new($listener);

# By a reset: the peer is told that it is over, and not that it has ended well.
sub cut
{
	my ($socket) = @_;
	return unless defined $socket;
	$readable->remove($socket);
	setsockopt($socket, SOL_SOCKET, SO_LINGER, pack('ii', 1, 0));
	close $socket;
}

sub end_pair
{
	my ($socket, $how) = @_;
	my $peer = delete $other{$socket};
	delete $other{$peer} if defined $peer;
	for my $end ($socket, $peer) {
		next unless defined $end;
		if ($how eq 'cut') { cut($end) } else { $readable->remove($end); close $end }
	}
}

sub take_connection
{
	my $asks = $listener->accept or return;
	my $node = $does eq 'breaks' ? undef : IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $target);
	return cut($asks) unless defined $node;
	@other{$asks, $node} = ($node, $asks);
	$readable->add($asks, $node);
}

sub pass_on
{
	my ($socket) = @_;
	my $to = $other{$socket};
	return unless defined $to;
	my $n = sysread($socket, my $bytes, 65536);
	return if !defined $n && $! == EINTR;
	return end_pair($socket, defined $n ? 'end' : 'cut') unless $n;
	while (length $bytes) {
		my $written = syswrite($to, $bytes);
		next if !defined $written && $! == EINTR;
		return end_pair($socket, 'cut') unless defined $written;
		substr($bytes, 0, $written) = '';
	}
}

sub become
{
	my ($what) = @_;
	$does = $what;
	if ($does eq 'breaks') {
		end_pair($_, 'cut') for grep { $_ != $listener } $readable->handles;
	}
	open my $out, '>', "$file.new" or die "$file: $!";
	print $out "$does\n";
	close $out;
	rename "$file.new", $file;
}

sub obey
{
	my $n = sysread(STDIN, my $lines, 4096);
	return if !defined $n && $! == EINTR;
	exit 0 unless $n;
	become((split /\n/, $lines)[-1]);
}

become('passes');
my $orders = IO::Select->new(\*STDIN);
while (1) {
	obey() if $orders->can_read($does eq 'holds' ? undef : 0);
	next if $does eq 'holds';
	for my $socket (IO::Select->new(\*STDIN, $readable->handles)->can_read) {
		next if $socket eq \*STDIN;
		if ($socket == $listener) { take_connection() } else { pass_on($socket) if exists $other{$socket} }
	}
}
