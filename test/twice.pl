#!/usr/bin/perl
# twice.pl
#	Arguments of macros that would happen twice: a call, an assignment, ++ or --
#	where the macro uses its parameter more than once, as TupIsNull, Max and Min
#	do.  Prints those in the files that are named, one a line; which macros do so
#	is asked of the preprocessor, of all headers that these files include.
#
# The branches of ?: count as both taken, so that some of what is found happens
# once only.  sizeof, typeof and # evaluate nothing.
use strict;
use warnings;

my @files = @ARGV;
my $compiler = $ENV{CC} || 'gcc';
my @flags = split ' ', $ENV{TWICE_FLAGS} // '';
my %text = map { $_ => without_comments(slurp($_)) } @files;
my (%everywhere, %within);	# definitions by name: of headers, and of each C file
my (%macros, %uses, %acts);	# as one file sees them
my $nested = qr/(\((?:[^()]++|(?-1))*+\))/;
my $unevaluated = qr/\b(?:sizeof|_Alignof|__alignof__|typeof|__typeof__|offsetof|__builtin_(?:constant_p|types_compatible_p|offsetof))\s*$nested/;
# Inline functions from PostgreSQL 16 on, macros before; those that may copy are not among them.
my $conversion = qr/^(?:DatumGet(?:Bool|Char|U?Int\d+|ObjectId|Pointer|CString|Name|Float[48]|DateADT|TimeADT|Timestamp(?:Tz)?)|\w+GetDatum)$/;
my %no_call = map { $_ => 1 } qw(defined __attribute__ __extension__ if while for switch return do else case);

sub slurp
{
	my ($name) = @_;
	open my $file, '<', $name or die "$name: $!\n";
	local $/;
	return scalar <$file>;
}

sub without_comments
{
	my ($code) = @_;
	# newlines stay, so that lines keep their numbers
	$code =~ s{(/\*.*?\*/|//[^\n]*)|("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+')}{defined $2 ? ($2 =~ /^"/ ? '""' : '0') : $1 =~ s/[^\n]//gr || ' '}gse;
	return $code;
}

sub add_macro
{
	my ($to, $name, $parameters, $body) = @_;
	my @parameters = map { s/^\s+|\s+$//gr } split /,/, $parameters;

	@parameters = map { $_ eq '...' ? '__VA_ARGS__' : s/\.\.\.$//r } @parameters;
	$body =~ s/\\\n/ /g;
	push @{ $to->{$name} }, [ $body, @parameters ];
}

# All that the files can see, once: those of headers by the preprocessor, their own by reading.
sub read_macros
{
	my %seen;
	my @includes = grep { !$seen{$_}++ } map { slurp($_) =~ /^[ \t]*#[ \t]*include[ \t]+([<"][^>"\n]+\.h[>"])/mg } @files;
	my $tries = join '', map { my $name = s/[<">]//gr; "#if __has_include($_)\n#include $_\n#endif\n" } sort { ($b =~ /postgres\.h/) <=> ($a =~ /postgres\.h/) } @includes;
	pipe my $in, my $out or die;
	my $pid = open my $list, '-|';
	die "fork: $!\n" unless defined $pid;
	if (!$pid)
	{
		open my $to, '|-', $compiler, @flags, '-dM', '-E', '-x', 'c', '-' or die "$compiler: $!\n";
		print $to $tries;
		close $to or exit 1;
		exit 0;
	}
	my $defined = do { local $/; <$list> };
	close $list or die "$compiler cannot read the headers\n";
	add_macro(\%everywhere, $1, $2, $3) while $defined =~ /^#define (\w+)\(([^)]*)\) ?(.*)$/mg;
	foreach my $file (@files)
	{
		my $to = $file =~ /\.c$/ ? $within{$file} = {} : \%everywhere;
		my $code = $text{$file};

		add_macro($to, $1, $2, $3) while $code =~ /^[ \t]*#[ \t]*define[ \t]+(\w+)\(([^)]*)\)((?:[^\n\\]|\\\n|\\.)*)/mg;
	}
	die "no macros\n" unless %everywhere;
}

# A C file sees its own and those of all headers; what it includes, anybody's.
sub see_from
{
	my ($file) = @_;

	%uses = %acts = ();
	%macros = map { $_ => [ @{ $everywhere{$_} } ] } keys %everywhere;
	foreach my $own ($within{$file} ? $within{$file} : values %within)
	{
		push @{ $macros{$_} }, @{ $own->{$_} } foreach keys %$own;
	}
}

# Where arguments of a call begin and end: from after "(" to the ")".
sub arguments
{
	my ($inside) = @_;
	my @arguments = ('');
	my $depth = 0;

	foreach my $token ($inside =~ /[(){}\[\],]|[^(){}\[\],]+/g)
	{
		$depth++ if $token =~ /[({\[]/;
		$depth-- if $token =~ /[)}\]]/;
		if ($token eq ',' && !$depth) { push @arguments, ''; }
		else { $arguments[-1] .= $token; }
	}
	return @arguments;
}

# How often a piece of code evaluates a name, macros in it expanded.
sub evaluations
{
	my ($code, $name, @within) = @_;
	my $count = 0;

	$code =~ s/#\s*\b\Q$name\E\b//g;
	# what a _Generic goes by is not evaluated
	$code =~ s/\b_Generic\s*\((?:[^(),]++|$nested)*+,/(/g;
	$code =~ s/$unevaluated//g;
	while ($code =~ /\b([A-Za-z_]\w*)\b/g)
	{
		my $word = $1;
		my $from = pos $code;

		if ($word eq $name)
		{
			# a member, or a part of a name, is no use
			$count++ unless substr($code, 0, $from - length $word) =~ /(?:->|\.|##)\s*$/ || substr($code, $from) =~ /^\s*##/;
		}
		elsif ($macros{$word} && !(grep { $_ eq $word } @within) && substr($code, $from) =~ /^\s*$nested/)
		{
			my $call = $1;
			my @given = arguments(substr $call, 1, -1);

			pos($code) = $from + length(($` // '')) + length($&);
			$count += times_used($word, $_, scalar @given, @within) * evaluations($given[$_], $name, @within) foreach 0 .. $#given;
		}
	}
	return $count;
}

# How often a macro evaluates its argument of this place.
sub times_used
{
	my ($macro, $place, $given, @within) = @_;
	my $key = "$macro/$place";

	return $uses{$key} if defined $uses{$key};
	my $most = 0;
	foreach my $definition (@{ $macros{$macro} })
	{
		my ($body, @parameters) = @$definition;
		my $parameter = $parameters[ $place < $#parameters ? $place : $#parameters ];

		next unless defined $parameter && length $parameter;
		next if $place > $#parameters && $parameter ne '__VA_ARGS__';
		my $count = evaluations($body, $parameter, @within, $macro);
		$most = $count if $count > $most;
	}
	return $uses{$key} = $most;
}

# Does it do anything: a call of a function, an assignment, ++ or --?
sub acts
{
	my ($code, @within) = @_;

	$code =~ s/$unevaluated//g;
	return 1 if $code =~ /\+\+|--/ || $code =~ /(?<![=!<>])=(?!=)/ || $code =~ /(?:<<|>>)=/;
	while ($code =~ /\b([A-Za-z_]\w*)\s*\(/g)
	{
		my $word = $1;

		next if $no_call{$word} || $word =~ $conversion || grep { $_ eq $word } @within;
		return 1 unless $macros{$word};
		return 1 if macro_acts($word, @within);
	}
	# a function by a pointer
	return 1 if $code =~ /(?:->|\.)\s*\w+\s*\(/ || $code =~ /\)\s*\(\s*\)/;
	return 0;
}

sub macro_acts
{
	my ($macro, @within) = @_;

	return $acts{$macro} //= (grep { acts($_->[0], @within, $macro) } @{ $macros{$macro} }) ? 1 : 0;
}

sub look_at
{
	my ($file) = @_;
	my $code = $text{$file};

	see_from($file);
	while ($code =~ /\b([A-Za-z_]\w*)\s*(?=\()/g)
	{
		my $word = $1;
		my $from = pos $code;

		next unless $macros{$word} && substr($code, $from) =~ /^$nested/;
		next if substr($code, 0, $from) =~ /#[ \t]*(?:define|undef|ifdef|ifndef)[ \t]+\w+\s*$/;
		my @given = arguments(substr $1, 1, -1);
		# a row of a table is code for several places, each of which runs it once
		next if $file =~ /\.def$/ && substr($code, 0, $from) =~ /^\w+\s*\z/m;
		foreach my $place (0 .. $#given)
		{
			next unless acts($given[$place]) && times_used($word, $place, scalar @given) > 1;
			my $line = 1 + (substr($code, 0, $from) =~ tr/\n//);

			printf "%s:%d: %s evaluates %s\n", $file, $line, $word, $given[$place] =~ s/\s+/ /gr =~ s/^ | $//gr;
		}
	}
}

read_macros();
look_at($_) foreach @files;
