/*
 * Metadata.java
 *	What a client that knows servers by JDBC's DatabaseMetaData asks of one:
 *	connects, reads the server's own description, then everything that it shows
 *	of tables, as a browser of databases does.  record.sh keeps the statements
 *	that the driver makes of it.
 */
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.Statement;

public class Metadata
{
	static int rows(ResultSet set) throws Exception
	{
		int n = 0;

		while (set.next())
			n++;
		set.close();
		return n;
	}

	static void show(String what, ResultSet set) throws Exception
	{
		System.out.println(what + ": " + rows(set));
	}

	static void askServer(DatabaseMetaData data) throws Exception
	{
		System.out.println(data.getDatabaseProductVersion() + " " + data.getURL() + " " + data.getUserName() + " " + data.getMaxColumnNameLength() + " " +
			data.getSQLKeywords().length() + " " + data.getDefaultTransactionIsolation() + " " + data.isReadOnly() + " " + data.getMaxConnections());
		show("catalogs", data.getCatalogs());
		show("schemas", data.getSchemas());
		show("schemas like", data.getSchemas(null, "cli%"));
		show("table types", data.getTableTypes());
		show("types", data.getTypeInfo());
		show("client properties", data.getClientInfoProperties());
		show("user-defined types", data.getUDTs(null, "lab", "%", null));
		show("functions", data.getFunctions(null, "dpsens", "%"));
		show("procedures", data.getProcedures(null, "dpsens", "%"));
		show("function columns", data.getFunctionColumns(null, "dpsens", "ex%", "%"));
		show("procedure columns", data.getProcedureColumns(null, "dpsens", "train%", "%"));
	}

	static void askTables(DatabaseMetaData data, String schema, String table) throws Exception
	{
		show("tables", data.getTables(null, schema, "%", null));
		show("tables and views", data.getTables(null, schema, "%", new String[] {"TABLE", "VIEW", "PARTITIONED TABLE", "MATERIALIZED VIEW", "FOREIGN TABLE", "SEQUENCE", "TYPE", "INDEX"}));
		show("columns", data.getColumns(null, schema, table, "%"));
		show("columns of all", data.getColumns(null, schema, "%", null));
		show("primary keys", data.getPrimaryKeys(null, schema, table));
		show("imported keys", data.getImportedKeys(null, schema, table));
		show("exported keys", data.getExportedKeys(null, schema, table));
		show("cross reference", data.getCrossReference(null, schema, table, null, schema, "others"));
		show("indexes", data.getIndexInfo(null, schema, table, false, true));
		show("unique indexes", data.getIndexInfo(null, schema, table, true, false));
		show("best rows", data.getBestRowIdentifier(null, schema, table, DatabaseMetaData.bestRowSession, true));
		show("version columns", data.getVersionColumns(null, schema, table));
		show("privileges", data.getTablePrivileges(null, schema, table));
		show("column privileges", data.getColumnPrivileges(null, schema, table, "%"));
	}

	/* Results describe themselves by more statements. */
	static void askResult(Connection connection) throws Exception
	{
		try (Statement statement = connection.createStatement())
		{
			ResultSetMetaData data = statement.executeQuery("SELECT id, city, x FROM lab.shops").getMetaData();

			for (int i = 1; i <= data.getColumnCount(); i++)
				System.out.println(data.getColumnName(i) + " " + data.getTableName(i) + " " + data.getSchemaName(i) + " " + data.isNullable(i) + " " +
					data.isAutoIncrement(i) + " " + data.getColumnTypeName(i) + " " + data.isSearchable(i));
			data = connection.prepareStatement("SELECT feels, dp_count(*) FROM clinic.people GROUP BY feels").getMetaData();
			System.out.println(data.getColumnTypeName(1) + " " + data.getColumnTypeName(2));
		}
	}

	public static void main(String[] arguments) throws Exception
	{
		try (Connection connection = DriverManager.getConnection(arguments[0]))
		{
			DatabaseMetaData data = connection.getMetaData();

			askServer(data);
			askTables(data, "clinic", "people");
			askTables(data, "clin%", "wards");
			askTables(data, null, "nurses");
			askResult(connection);
			System.out.println(connection.getSchema() + " " + connection.getCatalog() + " " + connection.isValid(1));
		}
	}
}
